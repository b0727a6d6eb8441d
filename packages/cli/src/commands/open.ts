import { PreferredInterface } from "../api/responses.ts"
import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import { chat } from "./chat.ts"

/** Opens the interface that the caller prefers: either starts a chat in this terminal, or prints the studio's URL. */
export async function open(cli: Cli, process: NodeJS.Process): Promise<number> {
  const { ui_mode } = await cli.api.ask("GET /api/v1/config/preferences", PreferredInterface, {})
  if (ui_mode === "cli") return chat(cli, undefined, {}, process)
  cli.terminal.show({ url: cli.server.href }, cli.server.href)
  return EXIT.done
}
