import { useState } from "react"

/** Copies a text. `copied` says whether it worked; null until then. */
export function useCopy(text: string): { copied: "yes" | "no" | null; copy(): void } {
  const [copied, setCopied] = useState<"yes" | "no" | null>(null)
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("no"),
    )
  return { copied, copy }
}
