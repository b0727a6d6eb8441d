import type { Board } from "@switchyard/core/work/teams/request-schema"
import { type IconState, StatusIcon } from "../../ui/status-icon.tsx"

const icons = { idle: "idle", busy: "busy", waiting_for_human: "needs_input" } satisfies Record<
  Board["workers"][number]["status"],
  IconState
>

/** The coordinator and the workers, with what each does now. */
export function Members({ board: { team, workers } }: { board: Board }) {
  const isAtWork = team.status === "working"
  return (
    <ul aria-label="Members" className="flex flex-wrap gap-2 px-4 pt-3">
      <Member name="Coordinator" about={team.model} icon={isAtWork ? "busy" : "idle"} does="Plans and delegates" />
      {workers.map(({ id, name, role, model, status, node_id: node }) => (
        <Member key={id} name={name} about={`${role} · ${model}`} icon={icons[status]} does={node ?? "Idle"} />
      ))}
    </ul>
  )
}

function Member({ name, about, icon, does }: { name: string; about: string; icon: IconState; does: string }) {
  return (
    <li
      title={about}
      className="flex max-w-72 items-center gap-2 rounded-md border border-line bg-sheet px-3 py-1.5 text-sm"
    >
      <StatusIcon state={icon} label={null} />
      <strong className="max-w-40 shrink-0 truncate">{name}</strong>
      <span className="truncate text-ink-3">{does}</span>
    </li>
  )
}
