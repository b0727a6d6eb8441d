import type { CliId } from "@switchyard/core/agents/clis/schema"

/** The npm packages of an agent's program. */
export interface NpmProgram {
  /** The packages to install. */
  packages: string[]
  /** The executables by name, each as a path in `node_modules`. */
  programs: Record<string, string>
  /** Files that the package should have made executable. */
  forgotten: string[]
}

export interface Machine {
  platform: string
  arch: string
}

type NpmCli = Exclude<CliId, "vibe" | "mock">

/**
 * The place of each agent's program in its package. Makes install scripts unnecessary: if a package's script would fetch or
 * link a native program, this names the package that has it, and only that is downloaded.
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

/** Undefined for an agent that isn't on npm. */
export function npmProgram(cli: CliId, version: string, machine: Machine): NpmProgram | undefined {
  return cli in places ? places[cli as NpmCli](version, machine) : undefined
}
