import { cliTitle } from "@switchyard/core/agents/clis/titles"
import { clsx } from "clsx"
import { useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { MAIN } from "../../session/stream/run.ts"
import type { RosterEntry } from "../../session/thread/roster.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { ConfirmDialog, FormDialog } from "../../ui/dialog.tsx"
import { Field } from "../../ui/field.tsx"
import { Ellipsis } from "../../ui/icons.tsx"
import { Menu, type MenuItem } from "../../ui/menu.tsx"
import { Terminal } from "../../ui/more-icons.tsx"
import { LoopDetector } from "../../ui/session-icons.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import { useAgentActions } from "./use-agent-actions.ts"

interface Props {
  entry: RosterEntry
  isSelected: boolean
  readOnly: string | null
  /** True if the stop shortcut applies to this agent. */
  stops: boolean
  onGone(): void
}

/** The agent's name and state, with actions on it. */
export function AgentHead({ entry, isSelected, readOnly, stops, onGone }: Props) {
  const { sessionId: id } = useShownSession()
  const { agentId, name, status, state } = entry
  const [, go] = useLocation()
  const { interrupt, close } = useAgentActions()
  const [menu, setMenu] = useState<HTMLElement | null>(null)
  const [dialog, setDialog] = useState<"rename" | "close" | null>(null)
  const isStoppable = readOnly === null && status !== "idle" && status !== "failed" && state.run !== null
  const stop = () => void interrupt(agentId)
  useCommand("stop", `Stop ${name}`, stops && isStoppable ? stop : null)
  const terminal = state.agent.terminals.at(-1)
  const items: MenuItem[] = [
    ...(readOnly === null && agentId !== MAIN ? [{ name: "Rename", run: () => setDialog("rename") }] : []),
    ...(readOnly === null && agentId !== MAIN
      ? [{ name: "Close agent", danger: true, run: () => setDialog("close") }]
      : []),
  ]
  return (
    <header
      className={clsx(
        "flex min-h-9 min-w-0 items-center gap-2 border-b py-0.5 pr-1.5 pl-4 text-sm max-md:min-h-12",
        isSelected ? "border-accent" : "border-line",
      )}
    >
      <h2 className="min-w-0 max-w-[50%] truncate font-semibold">{name}</h2>
      <p className="min-w-0 flex-1 truncate text-xs text-ink-3">{factsOf(entry)}</p>
      {isStoppable && (
        <Button size="sm" onClick={stop} title="Stop this turn (Ctrl+.)" disabled={state.run?.cancelRequested}>
          <LoopDetector size={14} aria-hidden /> {state.run?.cancelRequested ? "Stopping…" : "Stop"}
        </Button>
      )}
      {terminal && (
        <IconButton label={`${name}'s terminal`} title="Terminal (T)" onClick={() => go(paths.term(id, terminal.pty))}>
          <Terminal size={16} aria-hidden />
        </IconButton>
      )}
      {items.length > 0 && (
        <IconButton
          label={`Actions for ${name}`}
          aria-haspopup="menu"
          onClick={({ currentTarget }) => setMenu(menu ? null : currentTarget)}
        >
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      )}
      {menu && <Menu label={`Actions for ${name}`} items={items} anchor={menu} onClose={() => setMenu(null)} />}
      {dialog === "rename" && <RenameAgentDialog agentId={agentId} name={name} onClose={() => setDialog(null)} />}
      {dialog === "close" && (
        <ConfirmDialog
          title={`Close ${name}?`}
          action="Close"
          busy={false}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            setDialog(null)
            if (await close(agentId)) onGone()
          }}
        >
          {isStoppable && "The current turn will be stopped. "}
          Queued messages won't be delivered. The worktree and its changes will be kept.
        </ConfirmDialog>
      )}
    </header>
  )
}

/** Returns its account or program, unless it is named after that, its model, and its worktree. */
function factsOf({ name, state: { run, agent } }: RosterEntry): string {
  const cli = agent.cli === null ? null : cliTitle(agent.cli)
  const program = agent.account ?? cli ?? run?.agent ?? ""
  const worktree = agent.worktree ?? run?.worktree ?? MAIN
  const facts = [
    name.startsWith(program) ? null : program,
    agent.model,
    worktree === MAIN ? null : `worktree ${worktree}`,
  ]
  return facts.filter(Boolean).join(" · ")
}

function RenameAgentDialog({ agentId, name, onClose }: { agentId: string; name: string; onClose(): void }) {
  const { sessionId } = useShownSession()
  const { change } = useAgentActions()
  const [, go] = useLocation()
  const [next, setNext] = useState(name)
  const { attempt, message, forgive } = useAttempt()
  const submit = async () => {
    if (!(await attempt(() => change(agentId, { name: next.trim() })))) return
    go(paths.agent(sessionId, next.trim()), { replace: true })
    onClose()
  }
  return (
    <FormDialog
      title={`Rename ${name}`}
      action="Rename"
      blocked={next.trim() === ""}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        value={next}
        error={message}
        maxLength={64}
        onChange={(text) => {
          setNext(text)
          forgive()
        }}
      />
    </FormDialog>
  )
}
