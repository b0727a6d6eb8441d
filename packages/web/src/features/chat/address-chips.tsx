import { addressesIn, addressesToRead } from "@switchyard/core/work/pages/addresses"
import { clsx } from "clsx"
import { type ReactNode, useState } from "react"
import { Plus, X } from "../../ui/icons.tsx"
import { Check } from "../../ui/more-icons.tsx"
import type { ShownPage } from "./use-chat-context.ts"

interface Props {
  draft: string
  /** Addresses that should not be read. */
  excluded: readonly string[]
  onExclude(excluded: string[]): void
  /** Pages that were read before and that the next message still includes. */
  pages: readonly ShownPage[]
  onForget(url: string): void
}

/**
 * The pages included in the next message: those whose address it contains (each can be left out), and those that were
 * read before, with their summaries.
 */
export function AddressChips({ draft, excluded, onExclude, pages, onForget }: Props) {
  const [openUrl, setOpenUrl] = useState<string | null>(null)
  const addresses = addressesIn(draft)
  const earlier = pages.filter(({ url }) => !addresses.includes(url))
  if (addresses.length + earlier.length === 0) return null
  const read = new Set(addressesToRead({ content: draft, urls: [], excluded_urls: excluded }))
  const open = earlier.find(({ url }) => url === openUrl)
  return (
    <div className="px-3 pb-1 text-xs">
      <ul aria-label="Linked pages" className="flex flex-wrap gap-1.5">
        {earlier.map(({ url, title }) => {
          const remove = { name: `Remove ${url}`, icon: <X size={12} aria-hidden />, run: () => onForget(url) }
          const toggle = () => setOpenUrl(url === open?.url ? null : url)
          return (
            <Chip key={url} title={url} isRead action={remove}>
              <button type="button" aria-expanded={url === open?.url} onClick={toggle} className={NAME}>
                <Check size={12} aria-hidden className="shrink-0 text-ok" />
                <span className="truncate">{title || nameOf(url)}</span>
                <span className="shrink-0 text-ink-3">included</span>
              </button>
            </Chip>
          )
        })}
        {addresses.map((address) => {
          const isExcluded = excluded.includes(address)
          const others = excluded.filter((other) => other !== address)
          const action = isExcluded
            ? { name: `Include ${address}`, icon: <Plus size={12} aria-hidden />, run: () => onExclude(others) }
            : {
                name: `Exclude ${address}`,
                icon: <X size={12} aria-hidden />,
                run: () => onExclude([...others, address]),
              }
          const isRead = read.has(address)
          return (
            <Chip key={address} title={address} isRead={isRead} action={action}>
              <span className={clsx("truncate", !isRead && "line-through")}>{nameOf(address)}</span>
              <span className="shrink-0 text-ink-3">
                {isRead ? "will be included" : isExcluded ? "not included" : "over the limit"}
              </span>
            </Chip>
          )
        })}
      </ul>
      {open && (
        <section
          aria-label={`Summary of ${open.title || open.url}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a summary that scrolls is scrolled by keys
          tabIndex={0}
          className="mt-1 max-h-40 overflow-y-auto rounded-sm bg-well px-2 py-1.5 break-words whitespace-pre-wrap text-ink-2"
        >
          {open.summary ?? "This page is sent in full."}
        </section>
      )}
    </div>
  )
}

const NAME = "flex min-w-0 items-center gap-1 hover:text-ink max-md:min-h-11"

interface ChipProps {
  title: string
  isRead: boolean
  action: { name: string; icon: ReactNode; run(): void }
  children: ReactNode
}

function Chip({ title, isRead, action, children }: ChipProps) {
  return (
    <li
      title={title}
      className={clsx(
        "inline-flex h-7 max-w-full items-center gap-1 rounded-full border pl-2.5 max-md:h-11",
        isRead ? "border-strong text-ink-2" : "border-dashed border-line text-ink-3",
      )}
    >
      {children}
      <button
        type="button"
        aria-label={action.name}
        onClick={action.run}
        className="inline-flex size-6 shrink-0 items-center justify-center rounded-full hover:text-ink max-md:size-11"
      >
        {action.icon}
      </button>
    </li>
  )
}

const NAME_CHARS = 40

function nameOf(address: string): string {
  const name = address.replace(/^https?:\/\/(www\.)?/i, "").replace(/\/$/, "")
  return name.length > NAME_CHARS ? `${name.slice(0, NAME_CHARS)}…` : name
}
