import { useEffect, useRef } from "react";
import { useTexts } from "../../i18n/i18n";
import styles from "./html-frame.module.css";

/**
 * HTML that nobody has to trust, in a frame of an origin of its own: it reaches neither this page nor the network. The
 * frame says when it is there, and is then sent what it shows.
 */
export function HtmlFrame({ name, html }: { name: string; html: string }) {
  const texts = useTexts();
  const frame = useRef<HTMLIFrameElement>(null);

  useEffect(() => {
    const send = () => frame.current?.contentWindow?.postMessage(html, "*");
    const onMessage = (event: MessageEvent) => {
      if (event.source === frame.current?.contentWindow && event.data === "ready") send();
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [html]);

  return (
    <iframe
      ref={frame}
      className={styles.frame}
      src="/frame.html"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={texts.artifact.frame(name)}
    />
  );
}
