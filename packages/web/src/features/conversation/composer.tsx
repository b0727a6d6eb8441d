import { clsx } from "clsx"
import type { ComponentProps, ReactNode } from "react"
import { useCommand } from "../../session/context/commands.ts"
import { EnterKey } from "../../session/context/enter-key.tsx"
import { MessageField } from "../../session/context/message-field.tsx"
import { Button } from "../../ui/button.tsx"
import { Form } from "../../ui/form.tsx"
import { Play, StatusIcon } from "../../ui/icons.tsx"
import { lazyPart } from "../../ui/lazy-part.ts"
import { ImageButton } from "../images/image-button.tsx"
import type { AttachedImages } from "../images/use-images.ts"
import { StartRefusal } from "../usage/start-refusal.tsx"

const ImageStrip = lazyPart(async () => (await import("../images/image-strip.tsx")).ImageStrip)

interface Props extends Omit<ComponentProps<typeof MessageField>, "onSubmit" | "name"> {
  /** Label of the button that sends. */
  action: ReactNode
  /** Null if nothing can be sent now. */
  onSend: (() => void) | null
  /** Label while it is being sent, such as "Sending"; false otherwise. */
  busy?: string | false
  /** True if it starts a build or similar work. Programs find that button by its ID. */
  isRun?: boolean
  /** Name of the form, for screen readers. */
  name?: string
  /** Class of the form. */
  className?: string
  /** Title of the command that sends, for the palette and its shortcut. */
  command?: string | undefined
  /** Height of the empty field, in lines. */
  rows: 1 | 2 | 3
  /** Failure of the last message; null if it was sent. */
  error?: unknown
  /** Images of the message; undefined if it can't have any. */
  images?: AttachedImages
  /** Shown above the field. */
  above?: ReactNode
  /** Shown below the text, inside the same frame. */
  attached?: ReactNode
  /** Button that stops the work in progress, in place of the one that sends. */
  stop?: ReactNode
  /** Controls next to the button. */
  children?: ReactNode
}

/** Field for the next message of any conversation, with everything attached to it, and the button that sends it. */
export function Composer(props: Props) {
  const { name, className, command, rows, error, images, above, attached, children, stop, ...rest } = props
  const { action, busy, isRun, onKeyDown, ...field } = rest
  const onSend = images?.isReading ? null : rest.onSend
  useCommand("run", command ?? "", command ? onSend : null)
  const send = () => onSend?.()
  const isLine = !images && !attached && !children
  return (
    <Form aria-label={name} data-composer className={clsx("relative", className)} onSubmit={send} {...images?.input}>
      {error != null && <StartRefusal error={error} className="mb-2" />}
      {above}
      <div
        className={clsx(
          "@container rounded-md border border-strong bg-sheet outline-offset-1 outline-accent has-[textarea:focus-visible]:outline-2",
          isLine && "flex items-end",
        )}
      >
        <MessageField
          {...field}
          rows={rows}
          onKeyDown={(event) => {
            onKeyDown?.(event)
            // Outside the field, letters are shortcuts again.
            if (event.key === "Escape" && !event.defaultPrevented) regionOf(event.currentTarget)?.focus()
          }}
          onSubmit={send}
          style={{ minHeight: `${rows * 2}rem` }}
          className={clsx(
            "block field-sizing-content max-h-[min(15rem,40vh)] w-full resize-none bg-transparent px-3 outline-none placeholder:text-ink-3 read-only:text-ink-2",
            isLine ? "py-3 max-md:py-4" : "pt-2",
          )}
        />
        {attached}
        {images && (images.images.length > 0 || images.error) && <ImageStrip of={images} />}
        <div className="flex items-center gap-1 p-1.5">
          {images && <ImageButton onChoose={images.add} />}
          {children}
          <span className="ml-auto">
            {stop || (
              <Button type="submit" tone="primary" disabled={!onSend} {...(isRun && runButton)}>
                {busy ? <StatusIcon state="busy" label={null} /> : isRun && <Play size={14} aria-hidden />}
                {busy || action}
                {onSend && <EnterKey />}
              </Button>
            )}
          </span>
        </div>
      </div>
    </Form>
  )
}

function regionOf(field: HTMLElement) {
  return field.closest<HTMLElement>("[data-region]")
}

const runButton = { id: "agent-run-button", "data-agent-action": "run-agent" }
