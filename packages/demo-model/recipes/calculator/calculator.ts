/** The value of an expression such as "2 * (3 + 4)". Knows + - * / ^, brackets, signs and decimals. */
export function evaluate(expression: string): number {
  const tokens = expression.match(/\d+\.?\d*|\.\d+|\S/g) ?? []
  let next = 0

  function take(...wanted: string[]) {
    return wanted.includes(tokens[next] ?? "") ? tokens[next++] : undefined
  }

  function sum(): number {
    let value = product()
    for (let sign = take("+", "-"); sign; sign = take("+", "-")) {
      value += sign === "+" ? product() : -product()
    }
    return value
  }

  function product(): number {
    let value = signed()
    for (let sign = take("*", "/"); sign; sign = take("*", "/")) {
      value *= sign === "*" ? signed() : 1 / signed()
    }
    return value
  }

  function signed(): number {
    return take("-") ? -signed() : power()
  }

  function power(): number {
    const base = atom()
    return take("^") ? base ** signed() : base
  }

  function atom(): number {
    if (take("(")) {
      const value = sum()
      if (!take(")")) throw new Error("A closing bracket is missing.")
      return value
    }
    const token = tokens[next++]
    if (token === undefined) throw new Error("The expression ends too early.")
    if (!/\d/.test(token)) throw new Error(`"${token}" was not expected here.`)
    return Number(token)
  }

  const value = sum()
  if (next < tokens.length) throw new Error(`"${tokens[next]}" was not expected here.`)
  if (!Number.isFinite(value)) throw new Error("The result is not a number.")
  return Number(value.toPrecision(12))
}
