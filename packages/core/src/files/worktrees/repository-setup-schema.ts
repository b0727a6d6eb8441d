import * as z from "zod"
import { WorktreeSetup } from "./setup-schema.ts"

/** File in a repository that names the tools and the set-up of its worktrees. */
export const SETUP_FILE = ".switchyard/setup.yaml"

/** Files in a repository's root that name versions of languages. If several name a language, the first counts, as in mise. */
export const VERSION_FILES = [
  ...(["mise.toml", ".mise.toml", ".tool-versions", ".nvmrc", ".node-version", ".python-version"] as const),
  ...(["go.mod", "rust-toolchain", "rust-toolchain.toml", ".ruby-version", ".java-version"] as const),
] as const
export type VersionFile = (typeof VERSION_FILES)[number]

/** Excludes sources other than a tool's releases, such as mise's `path:` and `ref:`, and everything special in a shell. */
export const ToolVersion = z
  .string()
  .regex(/^[0-9A-Za-z][0-9A-Za-z._+-]{0,49}$/, 'It must be a version, such as "22" or "3.12.4".')

export const SetupTools = z.strictObject({
  node: ToolVersion.optional(),
  python: ToolVersion.optional(),
  go: ToolVersion.optional(),
  java: ToolVersion.optional(),
  rust: ToolVersion.optional(),
  ruby: ToolVersion.optional(),
})
export type SetupTools = z.infer<typeof SetupTools>

/** Tools that a worktree was prepared with. */
export const PreparedTools = z.object({
  versions: SetupTools,
  cache_key: z.string().describe("Identifies the owner's tools for this repository"),
})
export type PreparedTools = z.infer<typeof PreparedTools>

/** Content of a repository's set-up file. */
export const RepositorySetup = z.strictObject({
  /** Without this field, the repository's version files name the tools. */
  tools: SetupTools.optional(),
  setup: WorktreeSetup.shape.setup.default(""),
  cache: WorktreeSetup.shape.cache.default([]),
})
export type RepositorySetup = z.infer<typeof RepositorySetup>
