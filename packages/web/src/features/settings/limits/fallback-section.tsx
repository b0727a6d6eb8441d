import { useState } from "react"
import { Link } from "wouter"
import { paths } from "../../../session/context/routes.ts"
import { useToast } from "../../../session/context/studio.ts"
import { Button, IconButton } from "../../../ui/button.tsx"
import { Field } from "../../../ui/field.tsx"
import { ChevronDown, ChevronUp, X } from "../../../ui/icons.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { SelectField } from "../../../ui/select-field.tsx"
import { UnloadedList } from "../../../ui/unloaded-list.tsx"
import { moved } from "./limit-form.ts"
import { useFallbackOrder } from "./use-limits.ts"

/** The accounts that go on with a task, one after the other, and the share of a limit from which they do. */
export function FallbackSection({ accounts }: { accounts: string[] }) {
  const { fallback, setOrder, setThreshold } = useFallbackOrder()
  const toast = useToast()
  return (
    <section aria-labelledby="fallback-order">
      <h2 id="fallback-order" className="text-lg">
        Fallback order
      </h2>
      <p className="mt-1 mb-3 text-sm text-ink-3">
        When an account's limit is used up, the next one of these goes on with the task, in the same worktree. Waiting,
        quiet hours and other rules are under{" "}
        <Link href={paths.settings("limits")} className="text-accent underline underline-offset-2">
          Limits
        </Link>
        .
      </p>
      {fallback.data ? (
        <>
          {setOrder.error && (
            <Notice tone="err" className="mb-3">
              {setOrder.error.message}
            </Notice>
          )}
          <Order
            order={setOrder.isPending ? setOrder.variables : fallback.data.order}
            accounts={accounts}
            onChange={(order) => setOrder.mutate(order)}
          />
          <Threshold
            key={fallback.data.threshold}
            threshold={fallback.data.threshold}
            error={setThreshold.error?.message ?? null}
            onSave={(threshold) =>
              setThreshold.mutate(threshold, { onSuccess: () => toast(`Switches at ${threshold} %.`, "ok") })
            }
          />
        </>
      ) : (
        <UnloadedList list={fallback} lines={3} />
      )}
    </section>
  )
}

interface OrderProps {
  order: string[]
  accounts: string[]
  onChange(order: string[]): void
}

function Order({ order, accounts, onChange }: OrderProps) {
  const others = accounts.filter((name) => !order.includes(name))
  return (
    <>
      {order.length === 0 && <p className="mb-3 text-ink-2">None: a limit that is used up ends the task.</p>}
      <ol className="mb-3">
        {order.map((name, at) => (
          <li key={name} className="flex items-center gap-1 border-b border-line py-1 first:border-t">
            <span className="w-6 text-ink-3 nums">{at + 1}</span>
            <span className="min-w-0 flex-1 font-semibold break-all">{name}</span>
            <IconButton
              label={`Move ${name} up`}
              disabled={at === 0}
              onClick={() => onChange(moved(order, at, at - 1))}
            >
              <ChevronUp size={16} aria-hidden />
            </IconButton>
            <IconButton
              label={`Move ${name} down`}
              disabled={at === order.length - 1}
              onClick={() => onChange(moved(order, at, at + 1))}
            >
              <ChevronDown size={16} aria-hidden />
            </IconButton>
            <IconButton
              label={`Remove ${name} from the order`}
              onClick={() => onChange(order.filter((one) => one !== name))}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <SelectField
          label="Add to the order"
          className="mb-3 max-w-72"
          value=""
          onChange={(name) => onChange([...order, name])}
        >
          <option value="">Choose an account</option>
          {others.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      )}
    </>
  )
}

interface ThresholdProps {
  threshold: number
  error: string | null
  onSave(threshold: number): void
}

function Threshold({ threshold, error, onSave }: ThresholdProps) {
  const [typed, setTyped] = useState(String(threshold))
  const share = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : Number.NaN
  const isShare = share <= 100
  return (
    <form
      className="flex max-w-96 items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (isShare && share !== threshold) onSave(share)
      }}
    >
      <Field
        label="Switch at"
        end={<span className="pr-3 text-ink-3">%</span>}
        inputMode="numeric"
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        error={isShare ? error : "A whole number from 0 to 100."}
        hint="Of any of an account's limits, of a few hours or of a week. 100: only once it is used up."
        className="min-w-0 flex-1"
      />
      <Button
        type="submit"
        disabled={!isShare || share === threshold}
        className="mt-[23px]"
        aria-label="Save the threshold"
      >
        Save
      </Button>
    </form>
  )
}
