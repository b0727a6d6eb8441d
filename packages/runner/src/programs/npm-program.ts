import type { CliId } from "@switchyard/core/agents/clis/schema"

/** An agent's program as npm has it. */
export interface NpmProgram {
  /** What npm is asked for. */
  packages: string[]
  /** The programs by the names that they are started by, each as a path in `node_modules`. */
  programs: Record<string, string>
  /** What the package forgets to make a program of. */
  forgotten: string[]
}

export interface Machine {
  platform: string
  arch: string
}

type NpmCli = Exclude<CliId, "vibe" | "mock">

/**
 * Where each agent's program lies once its package is there. Install scripts aren't needed then: where a package's own
 * would fetch or link a native program, this names the package that has it, and nothing but that one is downloaded.
 */
const places: Record<NpmCli, (version: string, machine: Machine) => NpmProgram> = {
  claude: (version, { platform, arch }) => {
    const name = `@anthropic-ai/claude-code-${platform}-${arch}`
    return { packages: [`${name}@${version}`], programs: { claude: `${name}/claude` }, forgotten: [] }
  },
  codex: (version) => ({
    packages: [`@openai/codex@${version}`],
    programs: { codex: "@openai/codex/bin/codex.js" },
    forgotten: [],
  }),
  gemini: (version) => ({
    packages: [`@google/gemini-cli@${version}`],
    programs: { gemini: "@google/gemini-cli/bundle/gemini.js" },
    forgotten: [],
  }),
  qwen: (version, { platform, arch }) => ({
    packages: [`@qwen-code/qwen-code@${version}`],
    programs: { qwen: "@qwen-code/qwen-code/cli-entry.js" },
    forgotten: [`@qwen-code/qwen-code/vendor/ripgrep/${arch}-${platform}/rg`],
  }),
  opencode: (version, { platform, arch }) => {
    const name = `opencode-${platform}-${arch}`
    return { packages: [`${name}@${version}`], programs: { opencode: `${name}/bin/opencode` }, forgotten: [] }
  },
}

/** Undefined for what isn't npm's. */
export function npmProgram(cli: CliId, version: string, machine: Machine): NpmProgram | undefined {
  return cli in places ? places[cli as NpmCli](version, machine) : undefined
}
