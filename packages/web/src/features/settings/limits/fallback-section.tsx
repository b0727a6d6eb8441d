import { paths } from "../../../session/context/routes.ts"
import { useToast } from "../../../session/context/studio.ts"
import { SelectField } from "../../../ui/field.tsx"
import { ErrorNotice, UnloadedList } from "../../../ui/notice.tsx"
import { TextLink } from "../../../ui/text-link.tsx"
import { ListButtons } from "../list/list-buttons.tsx"
import { NumberForm } from "../list/number-form.tsx"
import { useFallbackOrder } from "./use-limits.ts"

/** The accounts that take over a task, in order, and the usage at which they do. */
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
        quiet hours and other rules are under <TextLink href={paths.settings("limits")}>Limits</TextLink>.
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
            label="Switch at"
            hint="Of any of an account's limits, of a few hours or of a week. 100: only once it is used up."
            end={<span className="pr-3 text-ink-3">%</span>}
            stored={fallback.data.threshold}
            range={[0, 100]}
            fault="A whole number from 0 to 100."
            error={setThreshold.error}
            action="Save the threshold"
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
            <ListButtons
              list={order}
              at={at}
              name={name}
              removal={`Remove ${name} from the order`}
              onChange={onChange}
            />
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <SelectField
          label="Add to the order"
          className="mb-3 max-w-72"
          value=""
          options={[["", "Choose an account"], ...others]}
          onChange={(name) => onChange([...order, name])}
        />
      )}
    </>
  )
}
