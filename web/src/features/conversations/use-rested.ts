import { useEffect, useState } from "react";

const REST = 180;

/** `value`, once it has not changed for a moment: what is being typed. */
export function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), value === "" ? 0 : REST);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
