import { paths } from "../../../session/context/routes.ts"
import { useToast } from "../../../session/context/studio.ts"
import { IconButton } from "../../../ui/button.tsx"
import { SelectField } from "../../../ui/field.tsx"
import { X } from "../../../ui/icons.tsx"
import { ErrorNotice, UnloadedList } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { MoveButtons } from "../list/move-buttons.tsx"
import { NumberForm } from "../list/number-form.tsx"
import { useFallbackOrder } from "./use-limits.ts"

/** The accounts that take over a task, in order, and the usage at which they do. */
export function FallbackSection({ accounts }: { accounts: string[] }) {
  const { fallback, setOrder, setThreshold } = useFallbackOrder()
  const toast = useToast()
  return (
    <section aria-labelledby="fallback-order" className="border-t border-line pt-5">
      <h2 id="fallback-order" className="text-lg">
        Fallback order
      </h2>
      <p className="mb-4 text-sm text-ink-3">
        When an account reaches its limit, the next one continues the task. For other rules, see{" "}
        <TextLink href={paths.settings("limits")}>Limits</TextLink>.
      </p>
      {fallback.data ? (
        <>
          <ErrorNotice error={setOrder.error} className="mb-3" />
          <Order
            order={setOrder.isPending ? setOrder.variables : fallback.data.order}
            accounts={accounts}
            onChange={(order) => setOrder.mutate(order)}
          />
          <NumberForm
            key={fallback.data.threshold}
            label="Switch accounts at"
            hint="Enter a percentage of the session or weekly limit. At 100%, agents switch when they reach it."
            end={<span className="pr-3 text-ink-3">%</span>}
            stored={fallback.data.threshold}
            range={[0, 100]}
            fault="Enter a whole number from 0 to 100."
            error={setThreshold.error}
            action="Save threshold"
            onSave={(threshold) =>
              setThreshold.mutate(threshold, {
                onSuccess: () => toast(`Agents switch accounts at ${threshold}%.`, "ok"),
              })
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
      {order.length === 0 && (
        <p className="mb-3 text-ink-2">No accounts yet. A task ends when its account reaches its limit.</p>
      )}
      <ol className="mb-3">
        {order.map((name, at) => (
          <li key={name} className="flex items-center gap-1 border-b border-line py-1 first:border-t">
            <span className="w-6 text-ink-3 nums">{at + 1}</span>
            <span className="min-w-0 flex-1 font-semibold break-all">{name}</span>
            <MoveButtons list={order} at={at} name={name} onChange={onChange} />
            <IconButton label={`Remove ${name}`} onClick={() => onChange(order.toSpliced(at, 1))}>
              <X size={16} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <SelectField
          label="Add an account"
          className="mb-3 max-w-72"
          value=""
          options={[["", "Choose an account"], ...others]}
          onChange={(name) => onChange([...order, name])}
        />
      )}
    </>
  )
}
