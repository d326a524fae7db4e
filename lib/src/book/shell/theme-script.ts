/**
 * Runs in the head, before anything is painted: the remembered theme, else that of the operating system. It also says that
 * scripts run: without `data-theme` a page hides what needs one.
 */
export const THEME_SCRIPT: string = `(function(){var t=null;try{t=localStorage.getItem('posttrain-theme')}catch(e){}
document.documentElement.dataset.theme=t==='light'||t==='dark'?t:matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light'})()`;
