import type { StartFiles } from "../agents/clis/cli.ts"
import { type CliId, clis } from "../agents/clis/clis.ts"

/** Files of tools that run or read instructions from them as soon as the tool is used. */
export const toolFiles = {
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
    ".envrc": "commands of direnv",
    ".mise*": "tools, tasks and hooks of mise",
    "mise*.toml": "tools, tasks and hooks of mise",
    ".config": "settings of mise and others",
    ".tool-versions": "tools of asdf and mise",
    ".devcontainer*": "commands of a container",
    "devenv.nix": "processes and hooks of devenv",
    "devbox.json": "hooks of devbox",
  },
  editors: {
    ".vscode": "tasks",
    "*.code-workspace": "tasks",
    ".idea": "run configurations",
    ".zed": "tasks",
    ".cursor": "MCP servers and rules",
    ".windsurf": "rules and workflows",
    ".exrc": "commands of Vim",
    ".nvim*": "commands of Neovim",
    ".dir-locals.el": "code of Emacs",
  },
  "package managers": {
    ".npmrc": "shells, registries and hooks",
    ".yarn": "Yarn itself, and its plugins",
    ".yarnrc*": "Yarn itself, and its plugins",
    ".pnp.*": "loaders of Yarn",
    ".pnpmfile.*": "hooks of pnpm",
    "bunfig.toml": "preloads of Bun",
    ".cargo": "wrappers and runners of Cargo",
    ".mvn": "extensions of Maven",
    ".bundle": "settings of Bundler",
    ".bazelrc": "settings of Bazel",
  },
  shells: {
    ".bash*": "commands at a shell's start",
    ".zsh*": "commands at a shell's start",
    ".profile": "commands at a shell's start",
  },
} as const satisfies { [tool: string]: StartFiles }

const agents = Object.values(clis)

/** Files that CLIs leave in a repository's git folder for themselves. */
export const GIT_FOLDER_MARKS = agents.flatMap(({ gitFolderMarks = [] }) => gitFolderMarks)

/** Instruction files that a CLI reads. They start nothing, and agents don't rewrite them unasked. */
export const INSTRUCTION_FILES = [...new Set(agents.flatMap(({ instructionFiles }) => instructionFiles))]

const instructions = matcherOf(INSTRUCTION_FILES)
const protectedNames = matcherOf([
  ...agents.flatMap(({ startFiles }) => Object.keys(startFiles)),
  ...Object.values<StartFiles>(toolFiles).flatMap((files) => Object.keys(files)),
  ...INSTRUCTION_FILES,
])

/** Returns what this CLI starts because of a file or folder with this name, or undefined. */
export function startedBy(cli: CliId, name: string): string | undefined {
  const folded = foldName(name)
  return Object.entries(clis[cli].startFiles).find(([started]) => patternOf(started).test(folded))?.[1]
}

/** True if files with this name, or in a folder with this name, are never changed unasked. */
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
 * Normalises a name, so that names which some file system treats as equal are equal. It may ignore case, Unicode forms
 * and invisible characters.
 */
function foldName(name: string): string {
  return name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toLowerCase()
}
