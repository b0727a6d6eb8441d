import type { ReactNode } from "react"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import type { OfflineReason, ServerStatus } from "./probe.ts"

const shapes = {
  unconfigured: "idle",
  checking: "busy",
  waking: "busy",
  online: "done",
  offline: "error",
} satisfies Record<ServerStatus["state"], IconState>

/** Describes the connection to a server in a sentence, with a way to fix it. */
export function ConnectionStatus({ reach, base, reason }: { reach: ServerStatus; base: string; reason?: string }) {
  const place = <span className="font-mono text-xs break-all">{base || location.origin}</span>
  return (
    <div role="status" className="flex gap-2.5 border-l-4 border-line bg-paper px-3 py-2.5 text-sm">
      <span className="mt-0.5">
        <StatusIcon state={shapes[reach.state]} label={null} />
      </span>
      <div className="min-w-0">
        <Words reach={reach} place={place} base={base} />
        {reach.state === "offline" && reason && <p className="mt-1 text-ink-3">Error: {reason}</p>}
        {reach.state === "offline" && reach.why !== "barred" && (
          <p className="mt-1 text-ink-3">Retrying every 15 seconds.</p>
        )}
      </div>
    </div>
  )
}

function Words({ reach, place, base }: { reach: ServerStatus; place: ReactNode; base: string }) {
  switch (reach.state) {
    case "unconfigured":
      return <p>No server configured.</p>
    case "checking":
      return <p>Connecting to {place}…</p>
    case "waking":
      return <p>{place} is slow to respond. It may be starting up, which can take up to 20 seconds.</p>
    case "online":
      return <p>Connected to {place}.</p>
    case "offline":
      return <p>{whyOffline(reach.why, place, base)}</p>
  }
}

function whyOffline(why: OfflineReason, place: ReactNode, base: string): ReactNode {
  switch (why) {
    case "timeout":
      return <>{place} didn't respond within 20 seconds.</>
    case "unreachable":
      return <>Couldn't reach {place}. Check that it's running and that you're online.</>
    case "closed":
      return (
        <>
          {place} is running but doesn't allow requests from{" "}
          <span className="font-mono text-xs">{location.origin}</span>. Add this origin to the server's
          CORS_ALLOWED_ORIGINS setting.
        </>
      )
    case "barred":
      return (
        <>
          This page can only connect to its own server.{" "}
          <a href={base} className="text-accent underline underline-offset-2">
            Open the studio at {base}
          </a>{" "}
          instead.
        </>
      )
  }
}
