import type { ProjectFiles } from "./check.ts"
import type { ProjectType } from "./schema.ts"

/** The command that installs the dependencies of a new checkout, and the folders that it fills. */
export interface FoundSetup {
  command: string
  /** Empty if the dependencies are installed outside of the project. */
  folders: string[]
}

/**
 * Returns the setup that a project's lockfiles and manifests require. Undefined if no setup is needed, or if the
 * required setup isn't known.
 */
export function findSetup(project: ProjectFiles, type: ProjectType | null): FoundSetup | undefined {
  const named = type && setups[type].find(({ file }) => project.has(file))
  if (!named) return undefined
  return { command: named.command, folders: FOLDERS[type] }
}

interface Setup {
  file: string
  command: string
}

/** The first existing file determines the command, so lockfiles come before manifests. */
const npm: Setup[] = [
  { file: "pnpm-lock.yaml", command: "pnpm install --frozen-lockfile" },
  { file: "yarn.lock", command: "yarn install --frozen-lockfile" },
  { file: "bun.lock", command: "bun install --frozen-lockfile" },
  { file: "bun.lockb", command: "bun install --frozen-lockfile" },
  { file: "package-lock.json", command: "npm ci" },
  { file: "npm-shrinkwrap.json", command: "npm ci" },
  { file: "package.json", command: "npm install" },
]

const VENV = "python3 -m venv .venv && .venv/bin/pip install"

const setups: Record<ProjectType, Setup[]> = {
  javascript: npm,
  typescript: npm,
  python: [
    { file: "uv.lock", command: "uv sync --frozen" },
    { file: "poetry.lock", command: "poetry install" },
    { file: "requirements.txt", command: `${VENV} -r requirements.txt` },
    { file: "pyproject.toml", command: `${VENV} -e .` },
    { file: "setup.py", command: `${VENV} -e .` },
  ],
  go: [{ file: "go.mod", command: "go mod download" }],
  rust: [{ file: "Cargo.toml", command: "cargo fetch" }],
  java: [],
}

const FOLDERS: Record<ProjectType, string[]> = {
  ...{ javascript: ["node_modules"], typescript: ["node_modules"], python: [".venv", "venv"] },
  ...{ go: [], rust: [], java: [] },
}
