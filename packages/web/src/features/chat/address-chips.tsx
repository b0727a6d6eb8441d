import { addressesIn, addressesToRead } from "@switchyard/core/work/pages/addresses"
import { clsx } from "clsx"
import { Plus, X } from "../../ui/icons.tsx"

interface Props {
  draft: string
  /** The addresses that are not to be read. */
  excluded: readonly string[]
  onExclude(excluded: string[]): void
}

/** The addresses in a message, each read for the model unless it is left out. */
export function AddressChips({ draft, excluded, onExclude }: Props) {
  const addresses = addressesIn(draft)
  if (addresses.length === 0) return null
  const read = new Set(addressesToRead({ content: draft, urls: [], excluded_urls: excluded }))
  return (
    <ul aria-label="Addresses in the message" className="flex flex-wrap gap-1.5 px-3 pb-1">
      {addresses.map((address) => {
        const isExcluded = excluded.includes(address)
        const toggle = () =>
          onExclude(isExcluded ? excluded.filter((other) => other !== address) : [...excluded, address])
        const state = read.has(address) ? "is read for the model" : isExcluded ? "is left out" : "is one too many"
        return (
          <li
            key={address}
            title={`${address} ${state}`}
            className={clsx(
              "inline-flex h-7 max-w-full items-center max-md:h-11 gap-1 rounded-full border pl-2.5 text-xs",
              read.has(address) ? "border-strong text-ink-2" : "border-dashed border-line text-ink-3 line-through",
            )}
          >
            <span className="truncate">{nameOf(address)}</span>
            <button
              type="button"
              aria-label={isExcluded ? `Read ${address}` : `Leave out ${address}`}
              onClick={toggle}
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-full hover:text-ink max-md:size-11"
            >
              {isExcluded ? <Plus size={12} aria-hidden /> : <X size={12} aria-hidden />}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

const NAME_CHARS = 40

function nameOf(address: string): string {
  const name = address.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "")
  return name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS)}…` : name
}
