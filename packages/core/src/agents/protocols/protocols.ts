import type { Protocols } from "../clis/cli.ts"
import { acp } from "./acp.ts"
import { appServer } from "./app-server.ts"
import { codexExec } from "./codex-exec.ts"
import { streamJson } from "./stream-json.ts"

export const protocols: Protocols = { acp, appServer, codexExec, streamJson }
