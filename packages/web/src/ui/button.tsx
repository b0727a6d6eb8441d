import { clsx } from "clsx"
import { type ButtonHTMLAttributes, type Ref, useRef } from "react"

type Tone = "primary" | "plain" | "quiet" | "danger"

const tones = {
  primary:
    "bg-accent text-sheet font-semibold hover:bg-accent-hover disabled:bg-well disabled:text-ink-3 border-transparent disabled:border-line",
  plain: "bg-sheet text-ink border-strong hover:bg-well disabled:text-ink-3 disabled:border-line",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-well hover:text-ink disabled:text-ink-3",
  danger: "bg-sheet text-err border-err hover:bg-err-bg disabled:text-ink-3 disabled:border-line",
} satisfies Record<Tone, string>

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  tone?: Tone
  size?: "sm" | "md"
}

/**
 * A button that keeps the focus if it is disabled while it has it. Browsers would move the focus to the page, so keys
 * would lead nowhere.
 */
export function Button({ tone = "plain", size = "md", className, type = "button", disabled, onClick, ...rest }: Props) {
  const own = useRef<HTMLButtonElement>(null)
  const shape = size === "sm" ? "h-7 px-2 text-sm gap-1.5" : "h-9 px-3.5 gap-2"
  return (
    <button
      ref={own}
      type={type}
      aria-disabled={disabled}
      disabled={disabled && !(own.current && own.current === document.activeElement)}
      // A submit button also keeps Enter from submitting its form.
      onClick={disabled ? (event) => event.preventDefault() : onClick}
      className={clsx(
        "inline-flex max-w-full shrink-0 items-center justify-center rounded-md border whitespace-nowrap max-md:min-h-11",
        shape,
        tones[tone],
        className,
      )}
      {...rest}
    />
  )
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string
  ref?: Ref<HTMLButtonElement>
}

/** Icon button with a label for screen readers. */
export function IconButton({ label, className, type = "button", ...rest }: IconProps) {
  return (
    <button
      type={type}
      aria-label={label}
      title={label}
      className={clsx(
        "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 hover:bg-well hover:text-ink",
        "disabled:text-ink-3 disabled:hover:bg-transparent max-md:size-11",
        className,
      )}
      {...rest}
    />
  )
}
