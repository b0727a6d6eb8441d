import type { CliCommand } from "@switchyard/core/agents/clis/cli"
import type { ProgramUser } from "../processes/agent-user.ts"
import type { Located } from "../programs/locate.ts"
import { LOST_KEYS } from "./attachments.ts"
import type { AgentMessage } from "./conversation.ts"
import { bracketPaste } from "./line-editor.ts"
import { openTerminalProgram } from "./terminal-program.ts"
import type { TurnDeps } from "./turn.ts"

export interface TuiPlan {
  title: string
  command: CliCommand
  program: Located
  cwd: string
  env: Record<string, string>
  folder: string
  rows: number
  cols: number
  user?: ProgramUser
}

/**
 * Runs the agent's interactive UI in a terminal that a person controls. The session ends when the person exits the UI or
 * hands control back, or when `signal` aborts. Returns once all of its processes have ended.
 */
export async function runTuiSession(deps: TurnDeps, plan: TuiPlan, { signal }: { signal: AbortSignal }): Promise<void> {
  const { attachments } = deps
  const { title, rows, cols } = plan
  const pty = deps.newId("pty")
  attachments.expectTerminal(pty)
  await deps.append([{ type: "terminal_opened", pty, kind: "tui", title, rows, cols }])
  const { program, terminal, attached, close, leftTextUnread } = await openTerminalProgram(deps, pty, {
    file: plan.program.file,
    args: [...plan.program.args, ...plan.command.args],
    piped: false,
    ...{ cwd: plan.cwd, env: { ...plan.env, ...plan.command.env }, folder: plan.folder, user: plan.user },
    ...{ rows, cols, title },
  })
  let seen: string | undefined
  const end = () => {
    // Save the screen's text now, because programs clear their screen when they exit.
    seen ??= terminal.text()
    program.kill().catch(deps.report)
  }
  attachments.addTerminal(pty, attached(program.type))
  // Paste the text, because each line would become a separate message if the text were typed.
  const say = ({ content }: AgentMessage) => {
    program.type(`${content.includes("\n") ? bracketPaste(content) : content}\r`)
    return true
  }
  attachments.setAgent({ say, interrupt: () => program.type("\u0003"), handBack: end })
  signal.addEventListener("abort", end, { once: true })
  if (signal.aborted) end()
  try {
    await program.exited
  } finally {
    signal.removeEventListener("abort", end)
    attachments.setAgent(undefined)
    attachments.removeTerminal(pty)
  }
  const { events } = await close(seen)
  await deps.append(leftTextUnread() ? [...events, { type: "agent_notice", text: LOST_KEYS }] : events)
}
