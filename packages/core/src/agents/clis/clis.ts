import { claude } from "./claude.ts"
import type { Cli } from "./cli.ts"
import { codex } from "./codex.ts"
import { gemini } from "./gemini.ts"
import { mock } from "./mock.ts"
import { opencode } from "./opencode.ts"
import { qwen } from "./qwen.ts"
import type { CliId } from "./schema.ts"
import { vibe } from "./vibe.ts"

export const clis = { claude, codex, gemini, qwen, opencode, vibe, mock } satisfies Record<CliId, Cli>
