import type { ComponentProps } from "react"

interface Props extends Omit<ComponentProps<"form">, "onSubmit"> {
  /** True if it can't be submitted now. Enter submits a form even if its button is disabled. */
  blocked?: boolean
  onSubmit(): void
}

/** A form that is submitted by code and doesn't load a page. */
export function Form({ blocked = false, onSubmit, ...form }: Props) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!blocked) onSubmit()
      }}
    />
  )
}
