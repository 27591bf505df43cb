import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { IconButton } from "../button/button";
import { classNames } from "../class-names";
import styles from "./toaster.module.css";

export type ToastLook = "info" | "error";

interface Toast {
  readonly key: number;
  readonly look: ToastLook;
  readonly text: string;
}

type Show = (text: string, look?: ToastLook) => void;

const ToastContext = createContext<Show | null>(null);

const SHOWN_FOR: Readonly<Record<ToastLook, number>> = { info: 3500, error: 9000 };
const AT_MOST = 3;

/** Short notices at the page's edge. They are read out, and go away by themselves. */
export function ToastProvider({ children, dismissLabel }: { children: ReactNode; dismissLabel: string }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const nextKey = useRef(0);

  const dismiss = useCallback((key: number) => setToasts((all) => all.filter((toast) => toast.key !== key)), []);
  const show = useCallback<Show>(
    (text, look = "info") => {
      nextKey.current += 1;
      const key = nextKey.current;
      setToasts((all) => [...all.filter((toast) => toast.text !== text).slice(1 - AT_MOST), { key, look, text }]);
      setTimeout(() => dismiss(key), SHOWN_FOR[look]);
    },
    [dismiss],
  );

  return (
    <ToastContext value={show}>
      {children}
      <div role="status" className={styles.toaster}>
        {toasts.map((toast) => (
          <div key={toast.key} className={classNames(styles.toast, styles[toast.look])}>
            <span>{toast.text}</span>
            <IconButton small icon="close" label={dismissLabel} onClick={() => dismiss(toast.key)} />
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

/** Returns what shows a notice. */
export function useToast(): Show {
  const show = useContext(ToastContext);
  if (show === null) throw new Error("useToast needs a ToastProvider above it.");
  return show;
}
