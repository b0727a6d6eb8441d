import type { Cli } from "../cli.ts"
import { CliError } from "../errors/errors.ts"
import { EXIT } from "../errors/exit.ts"
import type { Interrupts } from "../input/interrupts.ts"
import { sanitizeLine } from "../output/sanitize.ts"
import { ask, showTurn } from "./ask.ts"
import { COMMANDS, complete } from "./commands.ts"
import { createLinePrompt } from "./line-prompt.ts"
import { type Conversation, openSession } from "./session.ts"

/** Runs a conversation until the user leaves. */
export async function converse(
  conversation: Conversation,
  { stdin, stdout }: Pick<NodeJS.Process, "stdin" | "stdout">,
): Promise<number> {
  const { cli } = conversation
  const history = await resume(conversation)
  const prompt = createLinePrompt({
    ...{ input: stdin, output: stdout, history },
    complete: (line) => complete(conversation, line),
  })
  try {
    for (;;) {
      const message = (await prompt.next({ signal: cli.interrupts.renew().first }))?.trim()
      if (message === undefined || message === "/quit") return EXIT.done
      if (message !== "") await goOnAfter(cli, (stop) => react(conversation, message, stop))
    }
  } finally {
    prompt.close()
  }
}

/** Resumes a session. If an answer is in progress, shows it. Returns earlier prompts, newest first. */
async function resume({ cli, sessionId }: Conversation): Promise<string[]> {
  const { api, terminal } = cli
  if (sessionId === undefined) {
    terminal.notice("Your first message starts a new session. /help lists the commands.")
    return []
  }
  const { messages, in_flight, model } = await api.chat(sessionId)
  terminal.notice(`Session ${sessionId}, model ${model}. /help lists the commands.`)
  if (in_flight) await goOnAfter(cli, (stop) => showTurn(cli, sessionId, in_flight, stop))
  const asked = messages.filter(({ role, content }) => role === "user" && !content.includes("\n"))
  return asked.map(({ content }) => sanitizeLine(content)).reverse()
}

async function react(conversation: Conversation, message: string, stop: Interrupts): Promise<void> {
  const { cli, settings } = conversation
  if (!message.startsWith("/")) {
    conversation.sessionId ??= await openSession(cli, { signal: stop.first })
    await ask(cli, { sessionId: conversation.sessionId, message, ...settings }, stop)
    return
  }
  const [name = "", ...rest] = message.split(/\s+/)
  const command = COMMANDS.get(name)
  if (command) {
    await command.act(conversation, rest.join(" "), { signal: stop.first }, stop)
    return
  }
  cli.terminal.notice(`There is no command ${name}. /help lists the commands. Messages can't start with a slash.`)
}

/** Runs a task. If the task fails or is interrupted once, the conversation continues. */
async function goOnAfter(cli: Cli, task: (stop: Interrupts) => Promise<unknown>): Promise<void> {
  const stop = cli.interrupts.renew()
  try {
    await task(stop)
  } catch (error) {
    if (stop.second.aborted || !(error instanceof CliError)) throw error
    cli.terminal.notice(error.message)
  }
}
