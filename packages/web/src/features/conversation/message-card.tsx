import { clsx } from "clsx"
import { type ComponentProps, type ReactNode, useId } from "react"
import { LongText } from "../../ui/long-text.tsx"
import { momentOf, shortTime } from "../../ui/time.ts"
import { RequestImages } from "../images/request-images.tsx"

interface Props extends ComponentProps<"article"> {
  /** True if the reader, or another person, wrote it. */
  isOwn: boolean
  /** Its heading, such as the names of its sender and recipient. */
  label: string
  /** True if the heading is only for screen readers. */
  isNameless?: boolean
  text: string
  images?: ComponentProps<typeof RequestImages>["images"] | undefined
  ts: string
  expanded: boolean
  onToggle(): void
  /** Shown below the text. */
  attached?: ReactNode
  /** Shown next to the time. */
  children?: ReactNode
  /** Goes to the moment at which it was sent. */
  onGo?(): void
}

/** A message, verbatim: on the right if from a person, on the left if from an agent. */
export function MessageCard(props: Props) {
  const {
    isOwn,
    label,
    isNameless,
    text,
    images = [],
    ts,
    expanded,
    onToggle,
    attached,
    children,
    onGo,
    ...article
  } = props
  const id = useId()
  const time = (
    <time dateTime={ts} title={momentOf(ts)}>
      {shortTime(ts)}
    </time>
  )
  return (
    <article {...article} aria-labelledby={id} className={clsx("w-fit max-w-[92%]", isOwn && "ml-auto")}>
      <h3 id={id} className={isNameless ? "unseen" : "mb-0.5 text-xs font-normal text-ink-3"}>
        {label}
      </h3>
      <div className={clsx("rounded-md px-3 py-2", isOwn ? "bg-well" : "border border-line bg-sheet")}>
        <RequestImages images={images} />
        <LongText text={text} expanded={expanded} onToggle={onToggle} />
        {attached}
      </div>
      <p className={clsx("mt-0.5 flex items-center gap-2 text-xs text-ink-3 nums", isOwn && "justify-end")}>
        {children}
        {onGo ? (
          <button
            type="button"
            onClick={onGo}
            title={`Go to this point: ${momentOf(ts)}`}
            className="min-h-6 shrink-0 rounded-sm px-1 hover:text-ink hover:underline"
          >
            {time}
          </button>
        ) : (
          time
        )}
      </p>
    </article>
  )
}
