import type { ReactNode } from "react"
import { useLocation } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import type { TerminalView } from "../../../session/stream/agent.ts"
import { useShownSession } from "../../../session/view/use-session.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { Hand, Search } from "../../../ui/icons.tsx"
import { Expand, MonitorPlay, Undo2 } from "../../../ui/more-icons.tsx"
import { LoopDetector } from "../../../ui/session-icons.tsx"

interface Props {
  terminal: TerminalView
  terminals: TerminalView[]
  /** Its size and state, in a few words. */
  status: ReactNode
  /** Actions on the terminal. Missing ones aren't available now. */
  actions: Partial<Record<"takeOver" | "handBack" | "find" | "fit" | "play" | "close" | "stop", (() => void) | null>>
  busy: boolean
}

export function TerminalBar({ terminal, terminals, status, actions, busy }: Props) {
  const { takeOver, handBack, find, fit, play, close, stop } = actions
  return (
    <div className="flex h-9 min-w-0 items-center gap-2 border-b border-line bg-paper pr-2 pl-3 text-sm max-md:h-12 max-md:gap-1">
      <Title terminal={terminal} terminals={terminals} />
      <span className="min-w-0 truncate text-xs text-ink-3 nums">{status}</span>
      <span className="ml-auto flex shrink-0 items-center gap-1 max-md:gap-0">
        {takeOver && (
          <Button size="sm" tone="quiet" disabled={busy} onClick={takeOver} title="Use the agent's own interface">
            <Hand size={14} aria-hidden className="max-md:hidden" /> <Words short="Control">Take control</Words>
          </Button>
        )}
        {handBack && (
          <Button size="sm" tone="primary" disabled={busy} onClick={handBack} title="Let the agent continue on its own">
            <Undo2 size={14} aria-hidden /> Hand back
          </Button>
        )}
        {fit && (
          <Button size="sm" tone="quiet" onClick={fit} title="Resize the terminal to fit this window, for everyone">
            <Expand size={14} aria-hidden className="max-md:hidden" /> <Words short="Fit">Fit to my window</Words>
          </Button>
        )}
        {play && (
          <Button size="sm" tone="quiet" onClick={play}>
            <MonitorPlay size={14} aria-hidden /> Recording
          </Button>
        )}
        {close && (
          <Button size="sm" tone="quiet" onClick={close}>
            <Undo2 size={14} aria-hidden /> Back to terminal
          </Button>
        )}
        {find && (
          <IconButton label="Find in terminal" onClick={find} className="size-7! max-md:size-11!">
            <Search size={15} aria-hidden />
          </IconButton>
        )}
        {stop && (
          <Button size="sm" onClick={stop}>
            <LoopDetector size={14} aria-hidden /> Stop
          </Button>
        )}
      </span>
    </div>
  )
}

/** A label that is visually shortened if there is little room. */
function Words({ short, children }: { short: string; children: string }) {
  return (
    <>
      <span className="max-lg:unseen">{children}</span>
      <span aria-hidden className="lg:hidden">
        {short}
      </span>
    </>
  )
}

function Title({ terminal, terminals }: Pick<Props, "terminal" | "terminals">) {
  const { sessionId } = useShownSession()
  const [, go] = useLocation()
  if (terminals.length < 2) return <h2 className="min-w-0 truncate text-sm">{terminal.title}</h2>
  return (
    <select
      aria-label="Terminal"
      value={terminal.pty}
      onChange={(event) => go(paths.term(sessionId, event.target.value))}
      className="h-7 min-w-0 max-w-48 rounded-md border border-strong bg-sheet px-1 text-sm max-md:h-11"
    >
      {terminals.map(({ pty, title }, index) => (
        <option key={pty} value={pty}>
          {index + 1}. {title}
        </option>
      ))}
    </select>
  )
}
