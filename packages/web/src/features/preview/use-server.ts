import { useEffect, useRef } from "react"
import { needsConsent } from "../../api/client.ts"
import { anything } from "../../api/decode.ts"
import { isRunning } from "../../session/stream/run.ts"
import { useReadOnly, useSessionData, useShownSession } from "../../session/view/use-session.ts"
import { useAttempt } from "../../ui/use-attempt.ts"
import type { ServerPreview } from "./use-preview.ts"

/** Starts and stops the project's server. */
export interface ServerControl {
  start(consent: boolean): void
  stop(): void
  /** The consent that the server asks for, once per person or, without a sandbox, once per session. */
  asks: "person" | "session" | null
  busy: boolean
  /** Why the last attempt was refused. */
  error: string | null
}

/**
 * Controls the project's server. If `wanted`, starts it by itself for each version, once no run is writing files. A
 * version whose server failed or was stopped is left alone.
 */
export function useServer(
  server: ServerPreview | null,
  { wanted, seq }: { wanted: boolean; seq: number | null },
): ServerControl {
  const { sessionId: id, api } = useShownSession()
  const { attempt, busy, error, message } = useAttempt()
  const version = useSessionData(({ live }) => live.files.version)
  const { stage, end } = useSessionData(({ live }) => live.server)
  const writing = useSessionData(({ live }) => isRunning(live.run))
  const readOnly = useReadOnly() !== null
  const handled = useRef<number | null>(null)

  const start = (consent: boolean) => {
    const body = { consent, ...(seq !== null && { seq }) }
    void attempt(() =>
      api.call("POST /api/v1/sessions/{id}/preview/server", { path: { id }, body, response: anything }),
    )
  }
  const stop = () =>
    void attempt(() => api.call("DELETE /api/v1/sessions/{id}/preview/server", { path: { id }, response: anything }))

  const hasFailed = end?.failed && end.version === version
  const isDue = wanted && !readOnly && !writing && stage === "none" && server?.reason === null && !hasFailed
  // biome-ignore lint/correctness/useExhaustiveDependencies: `start` is another function each time
  useEffect(() => {
    const isHandled = stage !== "none" || handled.current === version
    if (stage !== "none" || isDue) handled.current = version
    if (isDue && !isHandled) start(false)
  }, [stage, isDue, version])

  const asks = needsConsent(error) ? (error.details.sandbox === false ? "session" : "person") : null
  return { start, stop, asks, busy, error: asks ? null : message }
}
