import { type BuiltInCli, type CliId, isBuiltIn } from "../clis/clis.ts"
import type { ServerSource } from "./read-servers.ts"

/** Places in a person's home that contain their own setup for a program. Agents have the same places in their home. */
export interface SetupSources {
  /** The program's folder. Imports in instructions may only name files in this folder. */
  folder: string
  /** Instruction files. The program reads only the first file that exists. */
  instructions: string[]
  /** Folder of further instruction files, all of which the program reads. */
  rules?: string
  /** Folders that contain one folder per skill. */
  skills: string[]
  /** Folder of commands, one file per command. */
  commands?: { folder: string; format: "markdown" | "toml" }
  /** Settings that name MCP servers. Nothing else is read from this file. */
  servers: ServerSource
}

/**
 * Sources of each program, from its maker's documentation. Nothing else in the home is read, in particular no other
 * settings, such as permissions, hooks, environment variables and addresses.
 */
export const setupSources: Partial<Record<BuiltInCli, SetupSources>> = {
  claude: {
    folder: ".claude",
    instructions: [".claude/CLAUDE.md"],
    rules: ".claude/rules",
    skills: [".claude/skills"],
    commands: { folder: ".claude/commands", format: "markdown" },
    servers: { path: ".claude.json", field: "mcpServers" },
  },
  codex: {
    folder: ".codex",
    instructions: [".codex/AGENTS.override.md", ".codex/AGENTS.md"],
    skills: [".codex/skills", ".agents/skills"],
    servers: { path: ".codex/config.toml", field: "mcp_servers" },
  },
  gemini: {
    folder: ".gemini",
    instructions: [".gemini/GEMINI.md"],
    skills: [".gemini/skills", ".agents/skills"],
    commands: { folder: ".gemini/commands", format: "toml" },
    servers: { path: ".gemini/settings.json", field: "mcpServers" },
  },
  qwen: {
    folder: ".qwen",
    instructions: [".qwen/QWEN.md"],
    skills: [".qwen/skills", ".agents/skills"],
    commands: { folder: ".qwen/commands", format: "markdown" },
    servers: { path: ".qwen/settings.json", field: "mcpServers" },
  },
  opencode: {
    folder: ".config/opencode",
    instructions: [".config/opencode/AGENTS.md"],
    skills: [".config/opencode/skills"],
    commands: { folder: ".config/opencode/commands", format: "markdown" },
    servers: { path: ".config/opencode/opencode.json", field: "mcp" },
  },
  vibe: {
    folder: ".vibe",
    instructions: [".vibe/AGENTS.md"],
    skills: [".vibe/skills", ".agents/skills"],
    servers: { path: ".vibe/config.toml", field: "mcp_servers" },
  },
}

/** Returns the sources of a program's setup. Undefined if the program has none. */
export function setupSourcesOf(cli: CliId): SetupSources | undefined {
  return isBuiltIn(cli) ? setupSources[cli] : undefined
}

/** Returns the places in an agent's home that contain only its owner's setup. */
export function setupPlaces(cli: CliId): string[] {
  const sources = setupSourcesOf(cli)
  if (!sources) return []
  const { instructions, rules, skills, commands } = sources
  return [...instructions, ...(rules ? [rules] : []), ...skills, ...(commands ? [commands.folder] : [])]
}
