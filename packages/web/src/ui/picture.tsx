import { clsx } from "clsx"
import { useState } from "react"

interface Props {
  src: string
  alt: string
  width: number
  height: number
  className?: string
}

/** A picture that is loaded when it comes into view. Nothing is shown if it can't be loaded. */
export function Picture({ className, alt, ...image }: Props) {
  const [failed, setFailed] = useState(false)
  if (failed) return null
  return (
    <img
      {...image}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
      className={clsx("rounded-sm border border-line bg-well object-cover object-top", className)}
    />
  )
}
