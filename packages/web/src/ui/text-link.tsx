import { clsx } from "clsx"
import type { ReactNode } from "react"
import { Link } from "wouter"

interface Props {
  href: string
  className?: string
  onClick?(): void
  children: ReactNode
}

export function TextLink({ className, ...link }: Props) {
  return <Link className={clsx("text-accent underline underline-offset-2", className)} {...link} />
}
