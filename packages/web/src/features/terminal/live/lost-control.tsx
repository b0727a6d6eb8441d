import { useLocation } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import { useSessionData, useShownSession } from "../../../session/view/use-session.ts"
import { Button } from "../../../ui/button.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { agentOfTerminal } from "./agent-of-terminal.ts"
import { nextTerminal } from "./next-terminal.ts"

interface Props {
  terminal: TerminalView
  terminals: TerminalView[]
}

/** Says that the agent's own interface closed while the user controlled it, and leads back to the agent. */
export function LostControl({ terminal, terminals }: Props) {
  const { sessionId } = useShownSession()
  const [, go] = useLocation()
  const owner = useSessionData(({ live }) => agentOfTerminal(live.agents, terminal.pty))
  const next = nextTerminal(terminal, terminals)
  const exit = terminal.exitCode ? ` (exit ${terminal.exitCode})` : ""
  return (
    <Notice
      tone="need"
      className="absolute inset-x-0 bottom-0 flex flex-wrap items-center gap-2 border-t border-t-line"
    >
      <p className="min-w-0 flex-1 basis-60">
        The agent's interface closed{exit}. Typing is off.{next && " The agent continues on its own."}
      </p>
      {next && (
        <Button size="sm" onClick={() => go(paths.term(sessionId, next.pty), { replace: true })}>
          Show terminal
        </Button>
      )}
      <Button size="sm" tone="primary" onClick={() => go(paths.agent(sessionId, owner))}>
        Back to conversation
      </Button>
    </Notice>
  )
}
