import { text } from "node:stream/consumers"
import { ask } from "../chat/ask.ts"
import { converse } from "../chat/conversation.ts"
import { openSession } from "../chat/session.ts"
import { isFulfilled } from "../chat/turn-report.ts"
import type { Cli } from "../cli.ts"
import { UsageError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import { type ImageOption, imagesOf } from "./request-images.ts"
import { workspaceOf } from "./workspace-of.ts"

export interface ChatOptions extends ImageOption {
  workspace?: string
  repository?: string
  message?: string
  model?: string
  review?: boolean
}

/**
 * Chats about a session's files. In a terminal, the chat continues until the user leaves. Otherwise, sends a single
 * message.
 */
export async function chat(
  cli: Cli,
  session: string | undefined,
  { workspace, repository, message, model, review, image }: ChatOptions,
  process: NodeJS.Process,
): Promise<number> {
  const { stdin, stdout } = process
  if (session && workspace) throw new UsageError("Specify a session or --workspace, not both.")
  if (repository !== undefined && (session || workspace)) {
    throw new UsageError("The session already has a repository. Use --repository only for a new session.")
  }
  const isConversation = message === undefined && stdin.isTTY && stdout.isTTY && !cli.terminal.json
  if (message === undefined && stdin.isTTY && !isConversation)
    throw new UsageError("A conversation needs a terminal for its output. Use --message instead.")
  const sessionId = await chosen(cli, session, { workspace, repository })
  const settings = { model, review }
  if (isConversation && image) throw new UsageError("--image needs --message.")
  if (isConversation) return converse({ cli, sessionId, settings }, { stdin, stdout })

  const said = message === undefined || message === "-" ? await text(stdin) : message
  if (!said.trim()) throw new UsageError("The message is empty.")
  const id = sessionId ?? (await openSession(cli, { signal: cli.interrupts.first }))
  const { images } = await imagesOf(cli, { image }, id)
  const asked = { sessionId: id, message: said, images }
  const result = await ask(cli, { ...asked, ...settings }, cli.interrupts)
  if (result.cancelled) return EXIT.cancelled
  return isFulfilled(result) ? EXIT.done : EXIT.failed
}

async function chosen(
  cli: Cli,
  session: string | undefined,
  { workspace, repository }: Pick<ChatOptions, "workspace" | "repository">,
) {
  if (repository !== undefined) return openSession(cli, { repository, signal: cli.interrupts.first })
  if (workspace) return workspaceOf(cli, { workspace })
  if (session) return (await cli.api.session(session)).id
  return undefined
}
