import { CliId } from "../agents/clis/schema.ts"

/**
 * Files of a project that start other programs, with a description of those. A name may be a folder, with everything in
 * it. `*` matches a part of the name.
 */
export type StartFiles = { readonly [name: string]: string }

const SKILLS = "skills, which can bring commands and servers along"
const SERVERS = "MCP servers"
const VARIABLES = "variables, which can name programs to start"

/**
 * Files of a project that make each CLI start programs, regardless of the model. Separate from the adapters, which only
 * runners load.
 */
export const startFiles = {
  claude: {
    ".claude": "hooks, helpers, plugins, agents, commands and skills",
    ".claude-plugin": "plugins",
    ".mcp.json": SERVERS,
    ".lsp.json": "language servers",
  },
  codex: { ".codex": "MCP servers, hooks, notifiers and rules", ".agents": SKILLS },
  gemini: { ".gemini": "MCP servers, hooks, extensions and commands", ".agents": SKILLS, ".env": VARIABLES },
  qwen: {
    ".qwen": "MCP servers, hooks, extensions and commands",
    ".agents": SKILLS,
    ".mcp.json": SERVERS,
    ".lsp.json": "language servers",
    ".env": VARIABLES,
  },
  opencode: {
    ".opencode": "plugins, tools, MCP servers, agents and commands",
    "opencode.json": "plugins, MCP servers, formatters and language servers",
    "opencode.jsonc": "plugins, MCP servers, formatters and language servers",
    ".claude": SKILLS,
    ".agents": SKILLS,
  },
  vibe: { ".vibe": "MCP servers, hooks, tools and agents", ".agents": SKILLS },
  mock: {},
} as const satisfies Record<CliId, StartFiles>

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

/** Files that CLIs leave in a repository's git folder for themselves. opencode stores the project's id there. */
export const GIT_FOLDER_MARKS = ["opencode"]

/** Instruction files that a CLI reads. They start nothing, and agents don't rewrite them unasked. */
export const INSTRUCTION_FILES = [
  "AGENTS.md",
  "AGENTS.override.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  "GEMINI.md",
  "QWEN.md",
  "QWEN.local.md",
  "CONTEXT.md",
]

const instructions = matcherOf(INSTRUCTION_FILES)
const starts = Object.fromEntries(
  CliId.options.map((cli) => [
    cli,
    Object.entries(startFiles[cli]).map(([name, what]) => ({ ...entryOf(name), what })),
  ]),
) as Record<CliId, { pattern: RegExp; what: string }[]>
const protectedNames = matcherOf([
  ...Object.values(startFiles).flatMap((files) => Object.keys(files)),
  ...Object.values(toolFiles).flatMap((files) => Object.keys(files)),
  ...INSTRUCTION_FILES,
])

/** Returns what this CLI starts because of a file or folder with this name, or undefined. */
export function startedBy(cli: CliId, name: string): string | undefined {
  const folded = foldName(name)
  return starts[cli].find(({ pattern }) => pattern.test(folded))?.what
}

/** True if files with this name, or in a folder with this name, are never changed unasked. */
export function isProtectedName(name: string): boolean {
  return protectedNames(name)
}

export function isInstructionFile(name: string): boolean {
  return instructions(name)
}

function matcherOf(names: string[]): (name: string) => boolean {
  const patterns = names.map((name) => entryOf(name).pattern)
  return (name) => {
    const folded = foldName(name)
    return patterns.some((pattern) => pattern.test(folded))
  }
}

function entryOf(name: string): { pattern: RegExp } {
  const parts = foldName(name)
    .split("*")
    .map((part) => RegExp.escape(part))
  return { pattern: new RegExp(`^${parts.join("[^/]*")}$`) }
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
