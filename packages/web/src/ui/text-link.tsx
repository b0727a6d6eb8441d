import { clsx } from "clsx"
import type { ReactNode } from "react"
import { Link } from "wouter"

export function TextLink({ className, ...link }: { href: string; className?: string; children: ReactNode }) {
  return <Link className={clsx("text-accent underline underline-offset-2", className)} {...link} />
}
