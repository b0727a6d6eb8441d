import { useMemo, useRef, useState } from "react"
import { useLocation } from "wouter"
import { useCommand } from "../../session/context/commands.ts"
import { paths } from "../../session/context/routes.ts"
import { type RosterEntry, rosterOf } from "../../session/thread/roster.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { useWidth } from "../../ui/use-width.ts"
import { useChangeKeys } from "../changes/worktree/use-change-keys.ts"
import { AgentColumn } from "./agent-column.tsx"
import { AgentStrip } from "./agent-strip.tsx"
import { columnsIn, firstColumn } from "./columns.ts"

const AddAgentDialog = lazyPart(async () => (await import("./add-agent-dialog.tsx")).AddAgentDialog)

/** A session's agents: a strip with all of them, and as many conversations as fit. */
export function AgentsView({ name }: { name: string }) {
  const { sessionId: id } = useShownSession()
  const [, go] = useLocation()
  const readOnly = useReadOnly()
  const agents = useSessionData(({ shown }) => shown.agents)
  const roster = useMemo(() => rosterOf({ agents }), [agents])
  const [adding, setAdding] = useState(false)
  const [frame, width] = useWidth<HTMLDivElement>()
  const at = Math.max(
    0,
    roster.findIndex((one) => one.address === name || one.agentId === name),
  )
  const selected = roster[at]
  const shown = useShown(roster, at, columnsIn(width))
  const open = (to: RosterEntry | undefined) => to && go(paths.agent(id, to.address), { replace: true })
  useChangeKeys({ j: () => open(roster[(at + 1) % roster.length]), k: () => open(roster.at(at - 1)) })
  useQuestionsByKey(roster, at, open)
  const terminal = selected?.state.agent.terminals.at(-1)
  useCommand("toggle-terminal", "Show the agent's terminal", terminal ? () => go(paths.term(id, terminal.pty)) : null)
  useCommand("add-agent", "Add agent", readOnly === null ? () => setAdding(true) : null)

  return (
    <div ref={frame} className="grid min-h-0 min-w-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
      <AgentStrip
        roster={roster}
        selected={selected?.agentId}
        onAdd={readOnly === null ? () => setAdding(true) : null}
      />
      {width > 0 && (
        <div
          className="grid min-h-0 min-w-0 divide-x divide-line"
          style={{ gridTemplateColumns: `repeat(${shown.length}, minmax(0, 1fr))` }}
        >
          {shown.map((entry) => (
            <AgentColumn
              key={entry.agentId}
              entry={entry}
              isSelected={entry === selected}
              isAlone={shown.length === 1}
              width={width / shown.length}
              onSelect={() => entry !== selected && open(entry)}
              onGone={() => open(roster[0])}
            />
          ))}
        </div>
      )}
      {adding && (
        <AddAgentDialog
          roster={roster}
          onAdded={(added) => go(paths.agent(id, added))}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  )
}

/** Returns the agents that have a column: the selected one and its neighbours, changing as few as possible. */
function useShown(roster: RosterEntry[], at: number, columns: number): RosterEntry[] {
  const first = useRef(0)
  first.current = firstColumn({ before: first.current, at, columns, count: roster.length })
  return roster.slice(first.current, first.current + columns)
}

/**
 * Lets F8 go to the next agent with a question and focus it. If there is none, goes to the questions of all sessions.
 */
function useQuestionsByKey(roster: RosterEntry[], at: number, open: (to: RosterEntry) => void): void {
  const [, go] = useLocation()
  const order = [...roster.slice(at + 1), ...roster.slice(0, at + 1)]
  const inQuestion = document.activeElement?.closest("[data-question]") !== null
  const [next] = (inQuestion ? order : [...order.slice(-1), ...order.slice(0, -1)]).filter(
    ({ status }) => status === "needs_input",
  )
  useCommand("go-needs", "Go to agents' questions", () => {
    if (!next) return go(paths.needs())
    open(next)
    // Its column may have to be rendered first.
    setTimeout(() => document.querySelector<HTMLElement>(`[data-asker="${next.agentId}"] [data-question]`)?.focus(), 50)
  })
}
