import type { ReactNode } from "react"
import type { ServerView } from "../../session/stream/server-preview.ts"
import { Button } from "../../ui/button.tsx"
import { Printed } from "../../ui/long-text.tsx"
import { Empty } from "../../ui/notice.tsx"
import type { ServerPreview } from "./use-preview.ts"
import type { ServerControl } from "./use-server.ts"

interface Props {
  server: ServerPreview
  control: ServerControl
  /** State in the log, which may be newer. */
  view: ServerView
  /** The moment shown; null when live. */
  seq: number | null
  version: number
  /** Asks the coder to fix what kept it from starting; undefined if there is no coder to ask. */
  onFix: ((prompt: string) => void) | undefined
  fixBlocked: string | null
}

/** Takes the place of a project's server while it doesn't run: its state, and how to start it. */
export function ServerPanel(props: Props) {
  const { server, control, view, seq, version } = props
  const { start, stop, asks, busy, error } = control
  const command = <Command of={view.command ?? server.command} />
  const refused = error && <p className="text-err">{error}</p>
  if (server.reason !== null) return <Empty title="Can't preview this server">{server.reason}</Empty>
  if (asks) return <Consent scope={asks} command={command} busy={busy} onAllow={() => start(true)} />
  if (view.stage === "requested" || view.stage === "starting" || view.stage === "stopping") {
    return (
      <Empty title={view.stage === "stopping" ? "Stopping the server…" : "Starting the server…"}>
        {view.command && command}
        <p>
          <Button size="sm" tone="quiet" className="mt-2" onClick={stop}>
            Stop
          </Button>
        </p>
        {refused}
      </Empty>
    )
  }
  if (view.stage === "ready" && !view.page && server.url !== null && server.version === version) {
    return (
      <Empty title="The server is running but has no page to show">
        The server responds, but not with a web page.{" "}
        <a href={server.url} target="_blank" rel="noopener noreferrer" className="text-accent underline">
          Open in a new tab
        </a>
      </Empty>
    )
  }
  if (view.end?.failed && seq === null) return <Failed {...props} end={view.end} />
  const runsOther = view.stage === "ready" && server.url !== null && server.version !== version
  return (
    <Empty title={runsOther ? `The server is running version ${server.version}` : "The server isn't running"}>
      {view.end && <p>{view.end.reason}</p>}
      {refused}
      <Button size="sm" tone="primary" className="mt-2" disabled={busy} onClick={() => start(false)}>
        {seq === null ? "Start the server" : `Start version ${version}`}
      </Button>
    </Empty>
  )
}

interface ConsentProps {
  scope: "person" | "session"
  command: ReactNode
  busy: boolean
  onAllow(): void
}

function Consent({ scope, command, busy, onAllow }: ConsentProps) {
  return (
    <Empty title="This app needs a server">
      <p>Install and start the app on this machine? {command}</p>
      <p className="mt-1">
        {scope === "person"
          ? "The app runs in a sandbox without network access. You won't be asked again: new versions are tested and started automatically."
          : "This machine has no sandbox, so the app can do anything you can do here. You'll be asked every session."}
      </p>
      <Button tone="primary" className="mt-3" disabled={busy} onClick={onAllow}>
        Allow and start
      </Button>
    </Empty>
  )
}

function Command({ of }: { of: string | null }) {
  return of && <code className="font-mono text-xs break-all">{of}</code>
}

function Failed({ server, control, view, end, onFix, fixBlocked }: Props & { end: NonNullable<ServerView["end"]> }) {
  const { reason, output } = end
  const command = server.command === null ? "the start command" : `\`${server.command}\``
  const prompt = `Fix this: ${command} doesn't start the project. ${reason} Output:\n\n${output}`
  return (
    <div className="flex h-full min-h-0 flex-col gap-2 overflow-auto p-3 text-sm">
      <p className="font-semibold text-err">The server isn't running</p>
      <p className="text-ink-2">{reason}</p>
      <Printed output={output} className="min-h-16" />
      {control.error && <p className="text-err">{control.error}</p>}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={control.busy || view.stage !== "none"} onClick={() => control.start(false)}>
          Try again
        </Button>
        {onFix && output !== "" && (
          <Button
            size="sm"
            tone="primary"
            disabled={fixBlocked !== null}
            title={fixBlocked ?? undefined}
            onClick={() => onFix(prompt)}
          >
            Fix this
          </Button>
        )}
      </div>
    </div>
  )
}
