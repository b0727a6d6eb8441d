import type { ComponentProps } from "react"

interface Props extends Omit<ComponentProps<"form">, "onSubmit"> {
  onSubmit(): void
}

/** A form that is submitted by code and doesn't load a page. */
export function Form({ onSubmit, ...form }: Props) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    />
  )
}
