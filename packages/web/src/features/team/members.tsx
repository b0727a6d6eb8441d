import type { Board } from "@switchyard/core/work/teams/request-schema"
import { Link } from "wouter"
import { paths } from "../../session/context/routes.ts"
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
      <Member
        name="Coordinator"
        about={team.coordinator ?? team.model}
        icon={isAtWork ? "busy" : "idle"}
        does="Plans and delegates"
        href={team.coordinator_id === null ? null : paths.agent(team.id, team.coordinator_id)}
      />
      {workers.map(({ id, name, role, type, model, status, node_id: node }) => (
        <Member
          key={id}
          name={name}
          about={`${role} · ${model}`}
          icon={icons[status]}
          does={node ?? "Idle"}
          href={type === "harnessed" ? null : paths.agent(team.id, name)}
        />
      ))}
    </ul>
  )
}

interface MemberProps {
  name: string
  about: string
  icon: IconState
  does: string
  /** The conversation and the terminal of a program; null where there are none. */
  href?: string | null
}

function Member({ name, about, icon, does, href = null }: MemberProps) {
  return (
    <li
      title={about}
      className="flex max-w-72 items-center gap-2 rounded-md border border-line bg-sheet px-3 py-1.5 text-sm"
    >
      <StatusIcon state={icon} label={null} />
      <strong className="max-w-40 shrink-0 truncate">
        {href === null ? (
          name
        ) : (
          <Link href={href} className="text-accent underline underline-offset-2">
            {name}
          </Link>
        )}
      </strong>
      <span className="truncate text-ink-3">{does}</span>
    </li>
  )
}
