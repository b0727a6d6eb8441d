import { useEffect, useState } from "react"
import { keepBase, keptBase } from "../../api/config.ts"
import { Button } from "../../ui/button.tsx"
import { Field } from "../../ui/field.tsx"
import { Form } from "../../ui/form.tsx"
import { apiBase } from "./api-base.ts"
import { createBrowserProbe } from "./browser-probe.ts"
import { ConnectionStatus } from "./connection-status.tsx"
import { Gate } from "./gate.tsx"
import { type ServerStatus, watchServer } from "./probe.ts"

/**
 * Lets the user choose the studio's server, and tests the connection. Works without a server, because it is shown when
 * none is known. `reason` is the error of the last attempt.
 */
export function ConnectScreen({ reason }: { reason?: string }) {
  const stored = keptBase(localStorage)
  const [typed, setTyped] = useState(stored)
  const [tried, setTried] = useState<string | null>(stored)
  const [round, setRound] = useState(0)
  const reach = useReach(tried, round)
  const base = apiBase(typed, location.origin)

  const probe = () => {
    setTried(base)
    setRound(round + 1)
  }
  const use = (chosen: string) => {
    keepBase(localStorage, chosen)
    // A full reload drops everything loaded from the other server.
    location.assign("/")
  }

  return (
    <Gate title="Connect to a server" intro="Enter the URL of a Switchyard server.">
      <Form onSubmit={probe} noValidate className="flex flex-col gap-4">
        <Field
          label="Server URL"
          inputMode="url"
          autoComplete="url"
          value={typed}
          onChange={setTyped}
          placeholder={location.origin}
          hint="Leave empty to use this page's own server."
          error={base === null ? "Enter an http or https URL." : null}
          verbatim
        />
        <ConnectionStatus reach={reach} base={tried ?? ""} reason={tried === stored ? reason : undefined} />
        <div className="flex flex-wrap gap-2">
          {base !== null && base === tried && reach.state === "online" ? (
            <Button tone="primary" onClick={() => use(base)}>
              {base === stored ? "Open the studio" : "Use this server"}
            </Button>
          ) : (
            <Button type="submit" tone="primary" disabled={base === null}>
              Test connection
            </Button>
          )}
          {stored !== "" && <Button onClick={() => use("")}>Switch to {location.host}</Button>}
        </div>
      </Form>
    </Gate>
  )
}

/** Watches a server while the screen is mounted. Changing `round` checks immediately. */
function useReach(base: string | null, round: number): ServerStatus {
  const [reach, setReach] = useState<ServerStatus>({ state: "checking" })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round always checks again
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const watch = async () => {
      for await (const news of watchServer(base, createBrowserProbe(document, { signal }), { signal })) {
        if (!signal.aborted) setReach(news)
      }
    }
    void watch()
    return () => controller.abort()
  }, [base, round])
  return reach
}
