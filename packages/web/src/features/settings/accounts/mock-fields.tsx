import { MockSettings } from "@switchyard/core/agents/clis/mock-settings"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import * as z from "zod"
import type { Api } from "../../../api/client.ts"
import { useStudio } from "../../../session/context/studio.ts"
import { Field, fieldsOf } from "../../../ui/field.tsx"

const { remaining_usage, remaining_context, run_seconds } = MockSettings.shape
const Usage = z.object({ remaining: remaining_usage })
const Context = z.object({ remaining: remaining_context })
const Duration = z.object({ seconds: run_seconds })

/** Simulated limits of a mock agent's account, as filled in: percentages and seconds; empty for none. */
interface MockForm {
  usage: string
  context: string
  seconds: string
}

/** Returns a mock account's settings as a form, and a function that saves the changed ones. */
export function useMockForm(account: string | null) {
  const { api } = useStudio()
  const client = useQueryClient()
  const key = ["mock-settings", account]
  const stored = useQuery({
    queryKey: key,
    enabled: account !== null,
    queryFn: ({ signal }) => readMock(api, account ?? "", signal),
  })
  const [edited, setEdited] = useState<Partial<MockForm>>({})
  const before = stored.data ?? { usage: "", context: "", seconds: "" }
  const form = { ...before, ...edited }
  const faults = faultsOf(form)
  return {
    form,
    faults,
    isWrong: Object.values(faults).some((fault) => fault !== null),
    edit: (change: Partial<MockForm>) => setEdited({ ...edited, ...change }),
    async save(): Promise<void> {
      if (account === null) return
      await saveMock(api, account, before, form)
      await client.invalidateQueries({ queryKey: key })
    },
  }
}

async function readMock(api: Api, account: string, signal: AbortSignal): Promise<MockForm> {
  const path = { account }
  const [usage, context, duration] = await Promise.all([
    api.call("GET /api/v1/config/mock-remaining-usage/{account}", { path, response: Usage, signal }),
    api.call("GET /api/v1/config/mock-context-remaining/{account}", { path, response: Context, signal }),
    api.call("GET /api/v1/config/mock-run-duration/{account}", { path, response: Duration, signal }),
  ])
  const percent = (share: number | null) => (share === null ? "" : String(Math.round(share * 1000) / 10))
  const seconds = duration.seconds === null ? "" : String(duration.seconds)
  return { usage: percent(usage.remaining), context: percent(context.remaining), seconds }
}

async function saveMock(api: Api, account_name: string, before: MockForm, form: MockForm): Promise<void> {
  const share = (text: string) => (text.trim() === "" ? null : Number(text) / 100)
  if (form.usage !== before.usage) {
    const body = { account_name, remaining: share(form.usage) }
    await api.call("PUT /api/v1/config/mock-remaining-usage", { body, response: Usage })
  }
  if (form.context !== before.context) {
    const body = { account_name, remaining: share(form.context) }
    await api.call("PUT /api/v1/config/mock-context-remaining", { body, response: Context })
  }
  if (form.seconds !== before.seconds) {
    const body = { account_name, seconds: form.seconds.trim() === "" ? null : Number(form.seconds) }
    await api.call("PUT /api/v1/config/mock-run-duration", { body, response: Duration })
  }
}

function faultsOf({ usage, context, seconds }: MockForm): Record<keyof MockForm, string | null> {
  const isWithin = (text: string, most: number) => text.trim() === "" || (Number(text) >= 0 && Number(text) <= most)
  return {
    usage: isWithin(usage, 100) ? null : PERCENT,
    context: isWithin(context, 100) ? null : PERCENT,
    seconds: isWithin(seconds, 3600) ? null : "Enter a number from 0 to 3600, or leave empty.",
  }
}

const PERCENT = "Enter a number from 0 to 100, or leave empty."

/** Limits that a mock agent's account simulates, for trying out what happens when they are hit. */
export function MockFields({ mock: { form, faults, edit } }: { mock: ReturnType<typeof useMockForm> }) {
  const of = fieldsOf(form, edit, faults)
  const percent = <span className="pr-3 text-ink-3">%</span>
  return (
    <fieldset>
      <legend className="text-sm font-semibold">Simulated limits</legend>
      <p className="mt-1 text-sm text-ink-3">
        The mock agent reports these values starting with its next task. Leave empty to report nothing. 0% means no
        quota is left.
      </p>
      <div className="mt-2 grid items-start gap-3 sm:grid-cols-3">
        <Field label="Remaining limit" end={percent} inputMode="decimal" {...of("usage")} />
        <Field label="Remaining context" end={percent} inputMode="decimal" {...of("context")} />
        <Field label="Seconds per turn" inputMode="decimal" {...of("seconds")} />
      </div>
    </fieldset>
  )
}
