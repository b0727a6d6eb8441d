import type { AnyCli, StartFiles } from "../agents/clis/cli.ts"
import { clis } from "../agents/clis/clis.ts"

/** Files that cause a tool to run something or to follow instructions as soon as the tool is used. */
export const toolFiles = {
  switchyard: { ".switchyard": "tools, a set-up command and rules for agents" },
  git: { ".git": "hooks, filters", ".gitattributes": "filters", ".gitmodules": "submodules", ".githooks": "hooks" },
  "git hooks": {
    ".husky": "hooks",
    ".lefthook*": "hooks",
    "lefthook*.y*ml": "hooks",
    ".pre-commit-config.y*ml": "hooks",
  },
  "continuous integration": {
    ".github": "workflows",
    ".gitlab": "pipelines",
    ".gitlab-ci.y*ml": "pipelines",
    ".circleci": "pipelines",
    ".buildkite": "pipelines",
    ".travis.yml": "pipelines",
    ".drone.yml": "pipelines",
    ".woodpecker*": "pipelines",
    "azure-pipelines*.y*ml": "pipelines",
    "bitbucket-pipelines.y*ml": "pipelines",
    jenkinsfile: "pipelines",
  },
  environments: {
    ".envrc": "direnv commands",
    ".mise*": "mise tools, tasks and hooks",
    "mise*.toml": "mise tools, tasks and hooks",
    ".config": "settings of mise and other tools",
    ".tool-versions": "asdf and mise tools",
    ".devcontainer*": "container commands",
    "devenv.nix": "devenv processes and hooks",
    "devbox.json": "devbox hooks",
  },
  editors: {
    ".vscode": "tasks",
    "*.code-workspace": "tasks",
    ".idea": "run configurations",
    ".zed": "tasks",
    ".cursor": "MCP servers and rules",
    ".windsurf": "rules and workflows",
    ".exrc": "Vim commands",
    ".nvim*": "Neovim commands",
    ".dir-locals.el": "Emacs code",
  },
  "package managers": {
    ".npmrc": "shells, registries and hooks",
    ".yarn": "Yarn itself, and its plugins",
    ".yarnrc*": "Yarn itself, and its plugins",
    ".pnp.*": "Yarn loaders",
    ".pnpmfile.*": "pnpm hooks",
    "bunfig.toml": "Bun preloads",
    ".cargo": "Cargo wrappers and runners",
    ".mvn": "Maven extensions",
    ".bundle": "Bundler settings",
    ".bazelrc": "Bazel settings",
  },
  shells: {
    ".bash*": "shell startup commands",
    ".zsh*": "shell startup commands",
    ".profile": "shell startup commands",
  },
} as const satisfies { [tool: string]: StartFiles }

const agents = Object.values(clis)

/** Files that CLIs leave in a repository's git folder for their own use. */
export const GIT_FOLDER_MARKS = agents.flatMap(({ gitFolderMarks = [] }) => gitFolderMarks)

/** Instruction files that CLIs read. They don't run anything, but agents must not change them without asking. */
export const INSTRUCTION_FILES = [...new Set(agents.flatMap(({ instructionFiles }) => instructionFiles))]

const instructions = matcherOf(INSTRUCTION_FILES)
const protectedNames = matcherOf([
  ...agents.flatMap(({ startFiles }) => Object.keys(startFiles)),
  ...Object.values<StartFiles>(toolFiles).flatMap((files) => Object.keys(files)),
  ...INSTRUCTION_FILES,
])

/** Describes what this CLI runs because of a file or folder with this name. Undefined if it runs nothing. */
export function startedBy({ startFiles }: Pick<AnyCli, "startFiles">, name: string): string | undefined {
  const folded = foldName(name)
  return Object.entries(startFiles).find(([started]) => patternOf(started).test(folded))?.[1]
}

/** True if agents must ask before they change a file with this name, or a file in a folder with this name. */
export function isProtectedName(name: string): boolean {
  return protectedNames(name)
}

export function isInstructionFile(name: string): boolean {
  return instructions(name)
}

function matcherOf(names: string[]): (name: string) => boolean {
  const patterns = names.map(patternOf)
  return (name) => {
    const folded = foldName(name)
    return patterns.some((pattern) => pattern.test(folded))
  }
}

function patternOf(name: string): RegExp {
  const parts = foldName(name)
    .split("*")
    .map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join("[^/]*")}$`)
}

/**
 * Normalises a name so that names that any file system may treat as equal become equal. Ignores case, Unicode form and
 * invisible characters.
 */
export function foldName(name: string): string {
  return name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
}
