import type { CliId } from "@switchyard/core/agents/clis/schema"

/** npm packages of an agent's program, in the version of its lockfile. */
export interface NpmProgram {
  /** Packages that the program needs. npm omits an optional one that it can't fetch, or that isn't the pinned one. */
  needed: string[]
  /** Executables by name, each as a path in `node_modules`. */
  programs: Record<string, string>
  /** Files that the package should have made executable. */
  forgotten: string[]
}

export interface Machine {
  platform: string
  arch: string
}

export type NpmCli = Exclude<CliId, "vibe" | "mock">

interface NpmPackage {
  /** Source of its lockfile: one package for every machine, or one per machine. npm then installs the matching one. */
  locks: { package: string } | { packageOf: (machine: Machine) => string }
  program: (machine: Machine) => NpmProgram
}

/** Machines that a lockfile has programs for. */
export const MACHINES: readonly Machine[] = ["linux", "darwin"].flatMap((platform) =>
  ["x64", "arm64"].map((arch) => ({ platform, arch })),
)

const claudeOf = ({ platform, arch }: Machine) => `@anthropic-ai/claude-code-${platform}-${arch}`
const opencodeOf = ({ platform, arch }: Machine) => `opencode-${platform}-${arch}`

/**
 * Location of each agent's program in its package, which makes install scripts unnecessary. If a script would fetch or
 * link a native program, this names that program's package, and only that is downloaded.
 */
export const npmPackages: Record<NpmCli, NpmPackage> = {
  claude: {
    locks: { packageOf: claudeOf },
    program: (machine) => one("claude", claudeOf(machine), "claude"),
  },
  codex: {
    locks: { package: "@openai/codex" },
    program: ({ platform, arch }) => {
      const program = one("codex", "@openai/codex", "bin/codex.js")
      return { ...program, needed: [...program.needed, `@openai/codex-${platform}-${arch}`] }
    },
  },
  gemini: {
    locks: { package: "@google/gemini-cli" },
    program: () => one("gemini", "@google/gemini-cli", "bundle/gemini.js"),
  },
  qwen: {
    locks: { package: "@qwen-code/qwen-code" },
    program: ({ platform, arch }) => ({
      ...one("qwen", "@qwen-code/qwen-code", "cli-entry.js"),
      forgotten: [`@qwen-code/qwen-code/vendor/ripgrep/${arch}-${platform}/rg`],
    }),
  },
  opencode: {
    locks: { packageOf: opencodeOf },
    program: (machine) => one("opencode", opencodeOf(machine), "bin/opencode"),
  },
}

export function isNpmCli(cli: CliId): cli is NpmCli {
  return Object.hasOwn(npmPackages, cli)
}

/** Creates a program that is one file of one package. */
function one(name: string, from: string, file: string): NpmProgram {
  return { needed: [from], programs: { [name]: `${from}/${file}` }, forgotten: [] }
}
