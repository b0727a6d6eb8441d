import type { CreatedToken } from "@switchyard/core/people/access/schema"
import { useEffect, useRef, useState } from "react"
import { Button } from "../../../ui/button.tsx"
import { Check, Copy } from "../../../ui/icons.tsx"

/** The secret of a new token, shown this once. */
export function TokenReveal({ token, onDone }: { token: CreatedToken; onDone(): void }) {
  const [copied, setCopied] = useState<"yes" | "no" | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const copy = () =>
    navigator.clipboard.writeText(token.secret).then(
      () => setCopied("yes"),
      () => setCopied("no"),
    )
  return (
    <section aria-labelledby="secret-once" className="border-l-4 border-need bg-need-bg px-4 py-4">
      <h2 id="secret-once" ref={heading} tabIndex={-1} className="text-lg">
        Token for {token.name}
      </h2>
      <p className="mt-1 mb-3 text-sm">Copy it now: it won't be shown again.</p>
      <code className="block rounded-md border border-strong bg-sheet px-3 py-2 font-mono text-sm break-all select-all">
        {token.secret}
      </code>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button onClick={copy}>
          {copied === "yes" ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />} Copy
        </Button>
        <Button onClick={onDone}>Done</Button>
        <span role="status" className="text-sm">
          {copied === "yes" && "Copied."}
          {copied === "no" && "The browser blocked copying. Select it and copy it yourself."}
        </span>
      </div>
    </section>
  )
}
