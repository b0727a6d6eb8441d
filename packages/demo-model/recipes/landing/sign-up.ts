/** The problems of a sign-up, by field; empty if there are none. */
export function checkSignUp({ name, email }: { name: string; email: string }): { name?: string; email?: string } {
  const problems: { name?: string; email?: string } = {}
  if (name.trim() === "") problems.name = "Please tell us your name."
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim())) problems.email = "Please check your email address."
  return problems
}
