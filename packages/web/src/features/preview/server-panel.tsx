import { needsConsent } from "../../api/client.ts"
import { anything } from "../../api/decode.ts"
import type { ServerView } from "../../session/stream/server-preview.ts"
import { useShownSession } from "../../session/view/use-session.ts"
import { Button } from "../../ui/button.tsx"
import { Printed } from "../../ui/long-text.tsx"
import { Empty, Notice } from "../../ui/notice.tsx"
import { useAttempt } from "../../ui/use-attempt.ts"
import type { ServerPreview } from "./use-preview.ts"

interface Props {
  server: ServerPreview
  /** State in the log, which may be newer. */
  view: ServerView
  /** The moment shown; null when live. */
  seq: number | null
  version: number
  /** Asks the coder to fix what kept it from starting; undefined if there is no coder to ask. */
  onFix: ((prompt: string) => void) | undefined
  fixBlocked: string | null
}

/** Starts a project's own server, and shows the outcome. */
export function ServerPanel(props: Props) {
  const { server, view, seq, version } = props
  const { start, asking, busy, error, stop } = useServer(seq)
  if (server.reason !== null) return <Empty title="The server can't be shown here">{server.reason}</Empty>
  if (asking) {
    return (
      <div className="flex h-full flex-col items-center justify-center p-4">
        <Notice tone="need" className="flex max-w-[60ch] flex-wrap items-center justify-between gap-3">
          <span className="min-w-0 flex-1 basis-60">
            Allow what is built to be installed and started on this machine, in a sandbox where there is one? You'll
            only be asked once; later runs are then checked by themselves, too.
          </span>
          <Button onClick={() => start(true)}>Allow</Button>
        </Notice>
      </div>
    )
  }
  if (view.stage === "requested" || view.stage === "starting" || view.stage === "stopping") {
    return (
      <Empty title={view.stage === "stopping" ? "Stopping the server …" : "Starting the server …"}>
        {view.command && <code className="font-mono text-xs break-all">{view.command}</code>}
        <p>
          <Button size="sm" tone="quiet" className="mt-2" onClick={stop}>
            Stop
          </Button>
        </p>
        {error && <p className="text-err">{error}</p>}
      </Empty>
    )
  }
  const runsOther = view.stage === "ready" && server.url !== null && server.version !== version
  if (view.end?.failed && seq === null)
    return <Failed {...props} end={view.end} busy={busy} error={error} onStart={() => start(false)} />
  return (
    <Empty
      title={
        runsOther
          ? `The server runs version ${server.version}`
          : server.command === null
            ? "Start the project's server"
            : "This project is a server"
      }
    >
      <p>
        {server.command === null ? (
          "If the repository's files or settings have a command that starts it, it runs"
        ) : (
          <>
            <code className="font-mono text-xs break-all">{server.command}</code> starts it,
          </>
        )}{" "}
        in a sandbox without a network.
        {view.end && ` ${view.end.reason}`}
      </p>
      {error && <p className="text-err">{error}</p>}
      <Button size="sm" tone="primary" className="mt-2" disabled={busy} onClick={() => start(false)}>
        {seq === null ? "Start the server" : `Start version ${version}`}
      </Button>
    </Empty>
  )
}

interface FailedProps extends Props {
  end: NonNullable<ServerView["end"]>
  busy: boolean
  /** Why the last attempt was refused. */
  error: string | null
  onStart(): void
}

function Failed({ server, end: { reason, output }, busy, error, onStart, onFix, fixBlocked }: FailedProps) {
  const command = server.command === null ? "The start command" : `\`${server.command}\``
  const prompt = `Fix this: ${command} doesn't start the project. ${reason} It prints:\n\n${output}`
  return (
    <div className="flex h-full min-h-0 flex-col gap-2 overflow-auto p-3 text-sm">
      <p className="font-semibold text-err">The server isn't running</p>
      <p className="text-ink-2">{reason}</p>
      <Printed output={output} className="min-h-16" />
      {error && <p className="text-err">{error}</p>}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={busy} onClick={onStart}>
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

/** Starts and stops the server. Asks for consent first if it would run on the user's own machine. */
function useServer(seq: number | null) {
  const { sessionId: id, api } = useShownSession()
  const { attempt, busy, error, message } = useAttempt()
  const start = (consent: boolean) => {
    const body = { consent, ...(seq !== null && { seq }) }
    const call = { path: { id }, body, response: anything }
    return attempt(() => api.call("POST /api/v1/sessions/{id}/preview/server", call))
  }
  const stop = () =>
    attempt(() => api.call("DELETE /api/v1/sessions/{id}/preview/server", { path: { id }, response: anything }))
  return { start, stop, asking: needsConsent(error), busy, error: message }
}
