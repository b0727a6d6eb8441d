import type { Cli } from "../cli.ts"
import { EXIT } from "../errors/exit.ts"
import { chat } from "./chat.ts"

/** Opens the caller's preferred interface: a chat in this terminal, or the studio, whose address it prints. */
export async function open(cli: Cli, process: NodeJS.Process): Promise<number> {
  const { ui_mode } = await cli.api.preferences({ signal: cli.interrupts.first })
  if (ui_mode === "cli") return chat(cli, undefined, {}, process)
  if (cli.terminal.json) cli.terminal.printJson({ url: cli.server.href })
  else cli.terminal.print(cli.server.href)
  return EXIT.done
}
