import type { ReactNode } from "react"
import { Button } from "./button.tsx"
import { Check, Copy } from "./more-icons.tsx"
import { useCopy } from "./use-copy.ts"

/** A text to copy, such as an address or a secret. `children` follow the button that copies it. */
export function CopiedText({ label, text, children }: { label: string; text: string; children?: ReactNode }) {
  const { copied, copy } = useCopy(text)
  return (
    <div className="mb-3">
      <p className="mb-1 text-sm font-semibold">{label}</p>
      <div className="flex items-start gap-2">
        <code className="min-w-0 flex-1 rounded-md border border-strong bg-well px-3 py-2 font-mono text-sm break-all select-all">
          {text}
        </code>
        <Button aria-label={`Copy ${label}`} onClick={copy}>
          {copied === "yes" ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </Button>
        {children}
      </div>
      <p role="status" className="text-sm">
        {copied === "yes" && <span className="unseen">Copied.</span>}
        {copied === "no" && "Your browser blocked copying. Select the text and copy it."}
      </p>
    </div>
  )
}
