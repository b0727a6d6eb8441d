import { formatDuration } from "@switchyard/core/text/format"
import { describeCheck } from "@switchyard/core/work/gate/verdict"
import type { BoardNodeInFull, NodeCommand } from "@switchyard/core/work/teams/request-schema"
import { type ReactNode, useId } from "react"
import type * as z from "zod"
import { type IconState, StatusIcon } from "../../../ui/icons.tsx"
import type { BoardNode } from "./board-node.ts"

type Work = Pick<z.infer<typeof BoardNodeInFull>, "check_results" | "commands"> &
  Partial<Pick<z.infer<typeof BoardNodeInFull>, "verdict">>

/**
 * The commands that must pass for a node, with their last results, and those that its worker ran. Nothing if there are
 * none.
 */
export function NodeWork({ checks, work }: { checks: BoardNode["checks"]; work: Work | undefined }) {
  const results = work?.check_results ?? []
  const open = Object.entries(checks ?? {}).filter(([name]) => results.every((result) => result.name !== name))
  const commands = work?.commands ?? []
  const changedTests = work?.verdict?.changed_tests ?? []
  return (
    <>
      {results.length + open.length > 0 && (
        <Rows title="Checks">
          {results.map((result) => (
            <Row key={result.name} icon={result.passed ? "done" : "error"} command={result.command}>
              {describeCheck(result).slice(result.command.length + 2)}
            </Row>
          ))}
          {open.map(([name, command]) => (
            <Row key={name} icon="idle" command={command}>
              Must pass
            </Row>
          ))}
        </Rows>
      )}
      {changedTests.length > 0 && (
        <Rows title="Changed tests">
          {changedTests.map((test) => (
            <Row key={test.path} icon="needs_input" command={test.path}>
              {test.reason ?? test.kind}
            </Row>
          ))}
        </Rows>
      )}
      {commands.length > 0 && (
        <Rows title="Commands">
          {commands.map((command) => (
            <Row key={command.started_at} icon={iconOf(command)} command={command.command}>
              {endOf(command)}
            </Row>
          ))}
        </Rows>
      )}
    </>
  )
}

function Rows({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-1 text-sm font-semibold">
        {title}
      </h3>
      <ol className="flex flex-col gap-1.5 text-sm">{children}</ol>
    </section>
  )
}

function Row({ icon, command, children }: { icon: IconState; command: string; children: string }) {
  return (
    <li className="flex min-w-0 items-start gap-1.5">
      <span className="mt-1 shrink-0">
        <StatusIcon state={icon} size={12} label={null} />
      </span>
      <span className="min-w-0">
        <code className="line-clamp-3 font-mono text-xs break-all" title={command}>
          {command}
        </code>
        <span className="block text-ink-3 nums">{children}</span>
      </span>
    </li>
  )
}

function iconOf({ ending, exit_code }: NodeCommand): IconState {
  if (ending === null) return "busy"
  return ending === "exited" && exit_code === 0 ? "done" : "error"
}

const endings = {
  timed_out: "Stopped: took too long",
  disk_full: "Stopped: disk nearly full",
  interrupted: "Interrupted. The command may not have finished.",
  too_many_files: "Stopped: wrote too many files",
} satisfies Record<Exclude<NonNullable<NodeCommand["ending"]>, "exited">, string>

function endOf({ ending, exit_code, duration_ms }: NodeCommand): string {
  if (ending === null) return "Running"
  if (ending !== "exited") return endings[ending]
  return `Exit code ${exit_code ?? "unknown"}, ${formatDuration(duration_ms ?? 0)}`
}
